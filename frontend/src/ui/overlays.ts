/** Which of the page-wide dialogs is open, so that a key, a button and a page can all open them. */
import { useSyncExternalStore } from "react";

export interface Overlay {
  name: "omnibox" | "keys";
  /** What the omnibox begins with. */
  text: string;
}

let open: Overlay | null = null;
const listeners = new Set<() => void>();

export function showOverlay(name: Overlay["name"] | null, text = ""): void {
  open = name === null ? null : { name, text };
  listeners.forEach((tell) => tell());
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

export function useOverlay(): Overlay | null {
  return useSyncExternalStore(subscribe, () => open);
}

/** What the pointer is at, on the chart or in a table: one mark, one time, for every part that shows it. */
import { useSyncExternalStore } from "react";

export interface Pointed {
  /** Id of a mark. */
  mark: string | null;
  /** ns after t0: where the line over all lanes stands. */
  t: number | null;
}

const NOTHING: Pointed = { mark: null, t: null };
let now = NOTHING;
const listeners = new Set<() => void>();

export function pointAt(next: Pointed = NOTHING): void {
  if (next.mark === now.mark && next.t === now.t) return;
  now = next;
  for (const tell of listeners) tell();
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

export const usePointedMark = (): string | null => useSyncExternalStore(subscribe, () => now.mark);
export const usePointedTime = (): number | null => useSyncExternalStore(subscribe, () => now.t);

/** Whether the server answers. Learned from requests as they come and go; while it does not, it is asked again and again. */
import { useSyncExternalStore } from "react";

let lost = false;
const listeners = new Set<() => void>();

function tell(now: boolean): void {
  if (lost === now) return;
  lost = now;
  listeners.forEach((listener) => listener());
}

export const markLost = (): void => tell(true);
export const markReached = (): void => tell(false);

export function isLost(): boolean {
  return lost;
}

export function onReachability(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** True while the server does not answer. */
export function useLost(): boolean {
  return useSyncExternalStore(onReachability, isLost);
}

/** Asks the server for a sign of life. */
export async function lookAgain(): Promise<void> {
  try {
    await fetch("/healthz", { cache: "no-store" });
    markReached();
  } catch {
    markLost();
  }
}

/** Whether the server and its database answer. Learned from requests as they come and go; while they do not, they are asked
    again and again. */
import { useSyncExternalStore } from "react";

/** What does not answer. */
export type Missing = "nothing" | "server" | "database";

const GATEWAY_ERRORS = [502, 504];

let missing: Missing = "nothing";
const listeners = new Set<() => void>();

function tell(now: Missing): void {
  if (missing === now) return;
  missing = now;
  listeners.forEach((listener) => listener());
}

export const markLost = (): void => tell("server");

/** An answer came. It says nothing about a database that is away: many answers need none. */
export function markReached(): void {
  if (missing === "server") tell("nothing");
}

export function isLost(): boolean {
  return missing !== "nothing";
}

export function onReachability(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What does not answer at the moment. */
export function useMissing(): Missing {
  return useSyncExternalStore(onReachability, () => missing);
}

/** Asks the server whether it and its database are ready. */
export async function lookAgain(): Promise<void> {
  try {
    const { status } = await fetch("/readyz", { cache: "no-store" });
    tell(status === 503 ? "database" : GATEWAY_ERRORS.includes(status) ? "server" : "nothing");
  } catch {
    tell("server");
  }
}

/** The one clock of an investigation: what ruler, cursor, chips, tooltips, tables and ladders count from. */
import { useCallback, useSyncExternalStore } from "react";

import { wallClock } from "./instant";
import { offset } from "./offset";

/** Since the first packet, since the selected mark, or the wall clock in the zone shown. */
export type Reading = "start" | "mark" | "clock";

export interface Clock {
  reading: Reading;
  /** The selected mark, ns after t0. */
  markNs: number | null;
  /** The first packet, epoch ns in decimals; null until a page knows it. */
  t0: string | null;
}

const NEXT: Record<Reading, Reading> = { start: "mark", mark: "clock", clock: "start" };
export const READING_WORDS: Record<Reading, string> = { start: "since first packet", mark: "since selected mark", clock: "wall clock" };

let clock: Clock = { reading: "start", markNs: null, t0: null };
const listeners = new Set<() => void>();

export function setClock(changes: Partial<Clock>): void {
  const next = { ...clock, ...changes };
  // The mark of another investigation is no zero of this one.
  if (changes.t0 !== undefined && changes.t0 !== clock.t0 && changes.markNs === undefined) next.markNs = null;
  if (next.reading === clock.reading && next.markNs === clock.markNs && next.t0 === clock.t0) return;
  clock = next;
  for (const listener of listeners) listener();
}

export function nextReading(): void {
  const next = NEXT[clock.reading];
  setClock({ reading: next === "mark" && clock.markNs === null ? "clock" : next });
}

/** ns after t0 that reads as zero. */
const zeroOf = ({ reading, markNs }: Clock): number => (reading === "mark" && markNs !== null ? markNs : 0);

/** A time, ns after t0, as the clock reads it. */
export function readTime(t: number, now: Clock, digits = 9): string {
  if (now.reading === "clock" && now.t0 !== null) return wallClock(now.t0, t, digits);
  return offset(t - zeroOf(now), digits);
}

/** Which moment reads as zero: "0 = 01:11:43.487000000, first packet"; empty for the wall clock. */
export function zeroWords(now: Clock): string {
  if (now.reading === "clock" || now.t0 === null) return "";
  return `0 = ${wallClock(now.t0, zeroOf(now), 9)}, ${now.reading === "mark" && now.markNs !== null ? "selected mark" : "first packet"}`;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useClock(): Clock {
  return useSyncExternalStore(subscribe, () => clock);
}

/** Reads times as the clock stands; `t0` where the page that asks knows it. */
export function useReadTime(t0?: string): (t: number, digits?: number) => string {
  const now = useClock();
  return useCallback((t, digits) => readTime(t, t0 === undefined ? now : { ...now, t0 }, digits), [now, t0]);
}

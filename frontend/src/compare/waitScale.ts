/** Waits of both sides on one logarithmic scale: they span from microseconds to seconds. */
export interface Wait {
  median_ms: number;
  p95_ms: number;
  p99_ms: number;
}

/** Below this a wait is drawn at the left end: a logarithm needs a floor. */
const FLOOR_MS = 0.001;

const log = (ms: number): number => Math.log10(Math.max(ms, FLOOR_MS));

/** Places of the values between 0 and 1, from the smallest median to the largest 99th percentile. */
export function waitScale(sides: Wait[]): (ms: number) => number {
  const ends = sides.flatMap((side) => [log(side.median_ms), log(side.p99_ms)]);
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  return (ms) => (high === low ? 0.5 : Math.min(1, Math.max(0, (log(ms) - low) / (high - low))));
}

/** Waits of both sides on one logarithmic scale: they span from microseconds to seconds. */
export interface Wait {
  median_ms: number;
  p95_ms: number;
  p99_ms: number;
  quantiles_ms: number[];
}

/** Below this a wait is drawn at the left end: a logarithm needs a floor. */
const FLOOR_MS = 0.001;
const TEN = 10;

const log = (ms: number): number => Math.log10(Math.max(ms, FLOOR_MS));

const ends = (sides: Wait[]): [number, number] => {
  const all = sides.flatMap((side) => [side.median_ms, side.p99_ms, ...side.quantiles_ms]).map(log);
  return [Math.min(...all), Math.max(...all)];
};

/** Places of the values between 0 and 1, from the smallest sample to the largest. */
export function waitScale(sides: Wait[]): (ms: number) => number {
  const [low, high] = ends(sides);
  return (ms) => (high === low ? 0.5 : Math.min(1, Math.max(0, (log(ms) - low) / (high - low))));
}

/** Powers of ten between the ends, in ms; never more than six. */
export function waitTicks(sides: Wait[]): number[] {
  const [low, high] = ends(sides);
  const ticks = [];
  for (let power = Math.ceil(low); power <= high; power++) ticks.push(TEN ** power);
  return ticks.slice(0, 6);
}

/** Corners of the curve: each quantile with the share of samples up to it. */
export function stepsOf(quantiles: number[]): { ms: number; share: number }[] {
  const last = Math.max(quantiles.length - 1, 1);
  return quantiles.map((ms, at) => ({ ms, share: at / last }));
}

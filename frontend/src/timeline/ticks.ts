/** Ruler ticks chosen by us: 1, 2, 5 × 10^n below a second, clock-like steps above. No label twice. */

import type { Reading } from "../format/clock";
import { wallClock } from "../format/instant";
import { NS_PER_MS, NS_PER_S, NS_PER_US } from "../format/offset";
import { FOLD_PX, foldsInView, openStretches, type TimeAxis } from "./timeAxis";
import { niceAtLeast } from "./timeWindow";

export interface Tick {
  t: number;
  label: string;
}

/** Room a label needs, so that neighbours never touch. */
const LABEL_PX = { start: 104, mark: 104, clock: 150 } as const;
const STEPS_ABOVE_A_SECOND = [1, 2, 5, 10, 15, 30, 60, 300, 600, 1800, 3600, 21_600, 86_400];

export function tickStep(durationNs: number, widthPx: number, reading: Reading = "start"): number {
  const wanted = durationNs / Math.max(Math.floor(widthPx / LABEL_PX[reading]), 3);
  if (wanted <= NS_PER_S) return niceAtLeast(wanted);
  const seconds = STEPS_ABOVE_A_SECOND.find((s) => s * NS_PER_S >= wanted);
  return (seconds ?? Math.ceil(wanted / NS_PER_S / 86_400) * 86_400) * NS_PER_S;
}

/** Room of a fold's own label in the ruler. */
export const FOLD_LABEL_PX = 58;

/**
 * Ticks of a window, as close as the time that is not folded allows; none stands in a fold or in its label. `origin` is
 * the time read as zero; the clock reading aligns to round times.
 */
export function chooseTicks(axis: TimeAxis, reading: Reading, markNs: number | null, t0: string): Tick[] {
  const step = tickStep(axis.nsPerPx * axis.widthPx, axis.widthPx, reading);
  const origin = originOf(reading, markNs, t0, step);
  const largest = Math.max(Math.abs(axis.window.fromNs - origin), Math.abs(axis.window.fromNs + axis.window.durationNs - origin));
  const folds = foldsInView(axis).map((fold) => (axis.x(fold.from) + axis.x(fold.to)) / 2);
  const room = (LABEL_PX[reading] + Math.max(FOLD_LABEL_PX, FOLD_PX)) / 2;
  const ticks: Tick[] = [];
  for (const { from, to } of openStretches(axis)) {
    for (let n = Math.ceil((from - origin) / step); origin + n * step <= to; n += 1) {
      const t = origin + n * step;
      if (folds.some((middle) => Math.abs(axis.x(t) - middle) < room)) continue;
      ticks.push({ t, label: reading === "clock" ? wallClock(t0, t, clockDigits(step)) : offsetLabel(n * step, step, largest) });
    }
  }
  return ticks;
}

function originOf(reading: Reading, markNs: number | null, t0: string, step: number): number {
  if (reading === "mark" && markNs !== null) return markNs;
  if (reading !== "clock") return 0;
  return -Number(BigInt(t0) % BigInt(step));
}

/** `+0.25 s`, `+3.051205 s`, `+5 µs`: the unit follows the largest of the ruler, the digits the step, so that neighbors always differ. */
export function offsetLabel(ns: number, step: number, largest: number): string {
  const [unit, size] = unitOf(Math.max(step, largest / TICKS_IN_A_UNIT));
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  const sign = ns < 0 ? "−" : "+";
  return `${sign}${(Math.abs(ns) / size).toFixed(digits)} ${unit}`;
}

/** From this share of a unit on times are told in it. */
const TICKS_IN_A_UNIT = 20;

function unitOf(step: number): [string, number] {
  if (step >= NS_PER_S / TICKS_IN_A_UNIT) return ["s", NS_PER_S];
  if (step >= NS_PER_MS / TICKS_IN_A_UNIT) return ["ms", NS_PER_MS];
  if (step >= NS_PER_US / TICKS_IN_A_UNIT) return ["µs", NS_PER_US];
  return ["ns", 1];
}

const clockDigits = (step: number): number =>
  step >= NS_PER_S ? 0 : Math.min(9, Math.ceil(9 - Math.log10(step) - 1e-9));

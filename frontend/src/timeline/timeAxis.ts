/** Time to pixels and back: evenly, or with stretches folded to a few pixels each. Pure. */
import { clampWindow, limitsOf, windowEnd, type Span, type TimeWindow } from "./timeWindow";

/** A stretch of time drawn in `FOLD_PX`, however long it is. Both ends in ns after t0, `from` before `to`. */
export interface Fold {
  from: number;
  to: number;
}

export const FOLD_PX = 24;

export interface TimeAxis {
  window: TimeWindow;
  widthPx: number;
  /** In order of time; those that lie out of the window are known too, for panning reaches them. */
  folds: readonly Fold[];
  /** Of the time that is not folded. */
  nsPerPx: number;
  /** Pixel of a time; times out of the window lie left of 0 or right of the width. */
  x: (t: number) => number;
  /** Time of a pixel, in whole ns. */
  t: (px: number) => number;
}

export const linearAxis = (w: TimeWindow, widthPx: number): TimeAxis => foldedAxis(w, widthPx, []);

/** The axis that shows exactly that window over the width. No fold may hold the whole window. */
export function foldedAxis(w: TimeWindow, widthPx: number, folds: readonly Fold[]): TimeAxis {
  const width = Math.max(widthPx, 1);
  const [folded, foldedPx] = foldedWithin(w, folds);
  const nsPerPx = (w.durationNs - folded) / Math.max(width - foldedPx, 1);
  return { window: w, widthPx: width, folds, nsPerPx, ...scaleOf(folds, nsPerPx, w.fromNs, 0) };
}

/** Time of the window that is folded, and the pixels it takes. */
function foldedWithin(w: TimeWindow, folds: readonly Fold[]): [number, number] {
  let [ns, px] = [0, 0];
  for (const fold of folds) {
    const part = Math.max(Math.min(fold.to, windowEnd(w)) - Math.max(fold.from, w.fromNs), 0);
    ns += part;
    px += (part / (fold.to - fold.from)) * FOLD_PX;
  }
  return [ns, px];
}

/** How much of the window is drawn at full length. */
export const openNs = (axis: TimeAxis): number => axis.window.durationNs - foldedWithin(axis.window, axis.folds)[0];

export const foldsInView = (axis: TimeAxis): Fold[] =>
  axis.folds.filter((fold) => fold.to > axis.window.fromNs && fold.from < windowEnd(axis.window));

/** What of the window lies in no fold. */
export function openStretches({ window: w, folds }: TimeAxis): Fold[] {
  const open: Fold[] = [];
  let from = w.fromNs;
  for (const fold of folds) {
    if (fold.from > from) open.push({ from, to: Math.min(fold.from, windowEnd(w)) });
    from = Math.max(from, fold.to);
  }
  if (from < windowEnd(w)) open.push({ from, to: windowEnd(w) });
  return open.filter((part) => part.to > part.from);
}

/** Pixels and times where the time `at` stands at the pixel `atPx`. */
function scaleOf(folds: readonly Fold[], nsPerPx: number, at: number, atPx: number): Pick<TimeAxis, "x" | "t"> {
  // Relative to a time in view, so that no digit of it is lost.
  const x = (t: number): number => folds.reduce((px, fold) => {
    const part = clamp(t, fold.from, fold.to) - clamp(at, fold.from, fold.to);
    return px - part / nsPerPx + (part / (fold.to - fold.from)) * FOLD_PX;
  }, atPx + (t - at) / nsPerPx);
  const edges = folds.flatMap((fold) => [fold.from, fold.to].map((t) => ({ t, px: x(t), fold })));
  const t = (px: number): number => {
    const next = edges.findIndex((edge) => edge.px > px);
    const before = next < 0 ? edges.at(-1) : edges[next - 1];
    if (before === undefined) return Math.round(edges[0] === undefined ? at + (px - atPx) * nsPerPx : edges[0].t - (edges[0].px - px) * nsPerPx);
    const inside = before.t === before.fold.from;
    return Math.round(before.t + (px - before.px) * (inside ? (before.fold.to - before.fold.from) / FOLD_PX : nsPerPx));
  };
  return { x, t };
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** Zooms by `factor` (< 1 is closer) and keeps the time at a pixel in place, folds at their width. */
export function zoomAt(axis: TimeAxis, factor: number, atPx: number, span: Span): TimeWindow {
  const { window: w, widthPx } = axis;
  if (axis.folds.length === 0) {
    // The length is kept within its limits first: at the shortest the pointer's time still stays.
    const durationNs = clampWindow({ fromNs: 0, durationNs: w.durationNs * factor }, span).durationNs;
    return clampWindow({ fromNs: w.fromNs + (w.durationNs - durationNs) * (atPx / widthPx), durationNs }, span);
  }
  const scale = scaleOf(axis.folds, axis.nsPerPx * factor, axis.t(atPx), atPx);
  const from = scale.t(0);
  return clampWindow({ fromNs: from, durationNs: scale.t(widthPx) - from }, span);
}

/** Moves the window by a share of its width: what is seen moves as far as the hand, over folds too. */
export function panBy(axis: TimeAxis, ratio: number, span: Span): TimeWindow {
  const { window: w, widthPx } = axis;
  if (axis.folds.length === 0) return clampWindow({ fromNs: w.fromNs + w.durationNs * ratio, durationNs: w.durationNs }, span);
  const limits = limitsOf(span);
  const [least, most] = [Math.min(axis.x(limits.from), 0), Math.max(axis.x(limits.to) - widthPx, 0)];
  const px = clamp(ratio * widthPx, least, most);
  const from = axis.t(px);
  return clampWindow({ fromNs: from, durationNs: axis.t(widthPx + px) - from }, span);
}

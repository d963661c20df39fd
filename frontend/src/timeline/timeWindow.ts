/** Arithmetic of the visible window: integers in nanoseconds after t0. */

export interface TimeWindow {
  fromNs: number;
  durationNs: number;
}

export interface Span {
  from: number;
  to: number;
}

/** Nothing a capture can hold is further apart than this on screen: 1 µs. */
export const MIN_DURATION_NS = 1_000;
/** Empty margin allowed around the data, as a share of its length. */
const MARGIN_RATIO = 0.02;
/** A request covers this many windows, so that panning by one needs no request. */
const SKIRT = 3;

export const windowEnd = (w: TimeWindow): number => w.fromNs + w.durationNs;

export const sameWindow = (a: TimeWindow, b: TimeWindow): boolean =>
  a.fromNs === b.fromNs && a.durationNs === b.durationNs;

/** Keeps a window inside the data plus its margin and no shorter than 1 µs. */
export function clampWindow(w: TimeWindow, span: Span): TimeWindow {
  const limits = limitsOf(span);
  const durationNs = Math.round(Math.min(Math.max(w.durationNs, MIN_DURATION_NS), limits.to - limits.from));
  return { fromNs: Math.round(Math.min(Math.max(w.fromNs, limits.from), limits.to - durationNs)), durationNs };
}

/** The data and their margin: no window reaches further. */
export function limitsOf(span: Span): Span {
  const length = Math.max(span.to - span.from, MIN_DURATION_NS);
  const margin = Math.ceil(length * MARGIN_RATIO);
  return { from: span.from - margin, to: span.from + length + margin };
}

export function wholeWindow(span: Span): TimeWindow {
  const length = span.to - span.from;
  return clampWindow(padded(span.from, span.to, Math.ceil(length * 0.01)), span);
}

function padded(from: number, to: number, padNs: number): TimeWindow {
  return { fromNs: Math.round(from - padNs), durationNs: Math.round(to - from + 2 * padNs) };
}

/** A stretch of time with 10 % of air, never narrower than what can be read. */
export function windowAround(from: number, to: number, span: Span): TimeWindow {
  const pad = Math.max((to - from) * 0.05, 10 * MIN_DURATION_NS);
  return clampWindow(padded(from, to, pad), span);
}

/** Smallest 1, 2 or 5 × 10^n that is at least `value`. */
export function niceAtLeast(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((m) => m * power >= value * (1 - 1e-12));
  return (step ?? 10) * power;
}

export interface TimelineRequest {
  from: number;
  to: number;
  px: number;
}

/**
 * The request that serves a window: three windows wide, its bounds on the bucket grid. An earlier
 * request is kept as long as the window lies within it at the same level of detail.
 */
export function requestFor(
  w: TimeWindow,
  widthPx: number,
  span: Span,
  earlier: TimelineRequest | null,
): TimelineRequest {
  if (earlier !== null && serves(earlier, w, widthPx, span)) return earlier;
  const grid = niceAtLeast(w.durationNs / Math.max(widthPx, 1));
  const skirt = (w.durationNs * (SKIRT - 1)) / 2;
  const from = Math.max(Math.floor((w.fromNs - skirt) / grid) * grid, Math.min(span.from, 0));
  const to = Math.min(Math.ceil((windowEnd(w) + skirt) / grid) * grid, span.to + 1);
  const end = Math.max(to, from + 1);
  const px = Math.max(Math.round(((end - from) / w.durationNs) * widthPx), 1);
  return { from, to: end, px };
}

function serves(request: TimelineRequest, w: TimeWindow, widthPx: number, span: Span): boolean {
  const from = Math.max(w.fromNs, span.from);
  const to = Math.min(windowEnd(w), span.to);
  if (from < request.from || to > request.to) return false;
  const had = niceAtLeast((request.to - request.from) / request.px);
  return had === niceAtLeast(w.durationNs / Math.max(widthPx, 1));
}

/**
 * Which time is folded. Dead is what no mark touches for more than a fifth of the window: the wait between a lost SYN
 * and its retry is what one wants out of the way, and on a busy node it is full of other connections' packets. So
 * traffic does not keep time open, but it is never folded in silence: each fold says how many packets lie in it. A fold
 * lies between marks (or an end of the data) and never holds one, whatever the filter fades or takes out.
 */
import type { Timeline, TimelineMark } from "../api/types";
import { stretch } from "../format/offset";
import { plural } from "../format/quantity";
import { guideRange } from "./shapes";
import { niceAtLeast, windowEnd, type Span, type TimelineRequest, type TimeWindow } from "./timeWindow";
import type { Fold, TimeAxis } from "./timeAxis";

/** A gap longer than this share of the window is folded. */
const LONG_GAP_RATIO = 0.2;
/** Share of a gap that stays open at each end: marks do not stand at the fold's edge. */
const AIR_RATIO = 0.02;

/** Folds of a window, from all gaps that reach into it or lie near it. Marks only drawn here, guides and notes, cut gaps. */
export function chooseFolds(gaps: readonly Fold[], drawn: readonly TimelineMark[], w: TimeWindow): Fold[] {
  const longest = w.durationNs * LONG_GAP_RATIO;
  const own = drawn.flatMap(touchedBy).sort((a, b) => a.from - b.from);
  return gaps
    .flatMap((gap) => cut(gap, own))
    .filter((gap) => gap.to - gap.from > longest && !(gap.from <= w.fromNs && windowEnd(w) <= gap.to))
    .map((gap) => {
      const air = (gap.to - gap.from) * AIR_RATIO;
      return { from: Math.ceil(gap.from + air), to: Math.floor(gap.to - air) };
    })
    .filter((fold) => fold.to > fold.from);
}

function touchedBy(mark: TimelineMark): Fold[] {
  if (mark.glyph === "guide") {
    const range = guideRange(mark);
    return [{ from: range.from, to: range.to }];
  }
  if (mark.glyph !== "note") return [];
  return [mark.t, mark.t_end ?? mark.t].map((t) => ({ from: t, to: t }));
}

function cut(gap: Fold, touched: readonly Fold[]): Fold[] {
  const parts: Fold[] = [];
  let { from } = gap;
  for (const each of touched) {
    if (each.to < from || each.from > gap.to) continue;
    parts.push({ from, to: each.from });
    from = Math.max(each.to, from);
  }
  return [...parts, { from, to: gap.to }].filter((part) => part.to > part.from);
}

/** Gaps shorter than this are folded in no window that a request serves. */
export function shortestGap(request: TimelineRequest, widthPx: number): number {
  const grid = niceAtLeast((request.to - request.from) / request.px);
  // A window is served as long as its pixels round up to the same 1, 2 or 5.
  return Math.floor((LONG_GAP_RATIO * grid * widthPx) / 2.5);
}

export interface FoldedTraffic {
  packets: number;
  /** False where buckets reach over the fold's ends. */
  exact: boolean;
}

/** Packets inside a fold, of all lanes, from the first of the timelines that covers it. */
export function trafficIn(fold: Fold, timelines: readonly Timeline[]): FoldedTraffic {
  const timeline = timelines.find((each) => each.from <= fold.from && fold.to <= each.to) ?? timelines.at(-1);
  if (timeline === undefined) return { packets: 0, exact: false };
  if (timeline.mode === "packets") {
    return { packets: timeline.packets.filter((packet) => packet.t > fold.from && packet.t < fold.to).length, exact: true };
  }
  let packets = 0;
  let touched = false;
  for (const lane of timeline.lanes) {
    lane.start.forEach((start, at) => {
      const middle = start + timeline.bucket_ns / 2;
      touched ||= start < fold.to && start + timeline.bucket_ns > fold.from;
      if (middle > fold.from && middle < fold.to) packets += lane.packets[at] ?? 0;
    });
  }
  return { packets, exact: !touched };
}

export const trafficWords = ({ packets, exact }: FoldedTraffic): string =>
  packets === 0 ? (exact ? "no packets" : "few packets") : `${exact ? "" : "about "}${plural(packets, "packet")}`;

export const foldWords = (fold: Fold, traffic: FoldedTraffic): string =>
  `${stretch(roundTo3(fold.to - fold.from))} without marks, ${trafficWords(traffic)}`;

/** Three digits tell how long a wait was; the marks beside it tell it exactly. */
export function roundTo3(ns: number): number {
  return Number(ns.toPrecision(3));
}

export interface FoldedRequest extends TimelineRequest {
  /** Stretches left out, as the server reads them. */
  fold: string;
}

/** The request for what is not folded: a screen more at each side. An earlier one is kept while it serves. */
export function foldedRequest(axis: TimeAxis, span: Span, earlier: FoldedRequest | null): FoldedRequest {
  const { widthPx, folds } = axis;
  const grid = niceAtLeast(axis.nsPerPx);
  const from = Math.max(Math.floor(axis.t(-widthPx) / grid) * grid, Math.min(span.from, 0));
  const to = Math.max(Math.min(Math.ceil(axis.t(2 * widthPx) / grid) * grid, span.to + 1), from + 1);
  const near = folds.filter((fold) => fold.to > from && fold.from < to);
  const left = near.reduce((ns, fold) => ns - Math.min(fold.to, to) + Math.max(fold.from, from), to - from);
  const next = { from, to, px: Math.max(Math.round(left / axis.nsPerPx), 1), fold: near.map((fold) => `${fold.from}~${fold.to}`).join(",") };
  return earlier !== null && serves(earlier, next, axis, span) ? earlier : next;
}

function serves(earlier: FoldedRequest, next: FoldedRequest, axis: TimeAxis, span: Span): boolean {
  const inView = axis.folds.filter((fold) => fold.to > axis.window.fromNs && fold.from < windowEnd(axis.window));
  const had = earlier.fold.split(",");
  const within = earlier.from <= Math.max(axis.window.fromNs, span.from) && Math.min(windowEnd(axis.window), span.to) <= earlier.to;
  const sameDetail = openPerPx(earlier) === openPerPx(next);
  // A stretch that was left out and is no fold any more would look as if nothing had happened in it.
  return within && sameDetail && inView.every((fold) => had.includes(`${fold.from}~${fold.to}`))
    && had.filter((text) => text !== "").every((text) => axis.folds.some((fold) => `${fold.from}~${fold.to}` === text));
}

function openPerPx(request: FoldedRequest): number {
  const folded = request.fold.split(",").filter((text) => text !== "").reduce((ns, text) => {
    const [from, to] = text.split("~").map(Number);
    return ns + Math.min(to ?? 0, request.to) - Math.max(from ?? 0, request.from);
  }, 0);
  return niceAtLeast((request.to - request.from - folded) / request.px);
}

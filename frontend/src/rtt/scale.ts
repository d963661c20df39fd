/** The axis of round trips and where its panels stand: pure geometry shared by the canvas and the HTML around it. */
import type { RoundTripSeries } from "../api/roundTrips";
import type { TimeWindow } from "../timeline/timeWindow";
import { niceAtLeast, windowEnd } from "../timeline/timeWindow";

export type ScaleKind = "linear" | "log";

/** Round trips in ms between the two ends of the axis, both drawn. */
export interface Scale {
  kind: ScaleKind;
  low: number;
  high: number;
}

export interface Panel {
  series: RoundTripSeries;
  /** The same for all vantage points of a pair of hosts. */
  scale: Scale;
  /** Of the plot, below its heading. */
  top: number;
  height: number;
}

export interface Geometry {
  widthPx: number;
  panels: Panel[];
  height: number;
}

export const HEADING_PX = 30;
export const GAP_PX = 10;
/** Below this a logarithmic axis shows nothing that could be measured: 100 ns. */
const LEAST_MS = 0.0001;
const AIR = 1.06;

/** 0 at the bottom, 1 at the top. */
export function place(scale: Scale, ms: number): number {
  if (scale.kind === "linear") return (ms - scale.low) / (scale.high - scale.low);
  const [low, high] = [Math.log10(scale.low), Math.log10(scale.high)];
  return (Math.log10(Math.max(ms, scale.low)) - low) / (high - low);
}

const pairOf = (series: RoundTripSeries): string => `${series.prober} ${series.responder}`;

/** One scale for each pair of hosts: what two ends saw of one probe can be compared, and a fast pair beside a slow one is legible. */
export function chooseScales(kind: ScaleKind, series: readonly RoundTripSeries[], w: TimeWindow): Scale[] {
  const byPair = new Map<string, RoundTripSeries[]>();
  for (const each of series) byPair.set(pairOf(each), [...(byPair.get(pairOf(each)) ?? []), each]);
  const scales = new Map([...byPair].map(([pair, own]) => [pair, chooseScale(kind, own, w)]));
  return series.map((each) => scales.get(pairOf(each)) ?? chooseScale(kind, [each], w));
}

export function chooseScale(kind: ScaleKind, series: readonly RoundTripSeries[], w: TimeWindow): Scale {
  const values = series.flatMap((each) => valuesIn(each, w));
  const most = values.reduce((a, b) => Math.max(a, b), 0) || 1;
  if (kind === "linear") return { kind, low: 0, high: most * AIR };
  const least = values.filter((value) => value > 0).reduce((a, b) => Math.min(a, b), most);
  const low = 10 ** Math.floor(Math.log10(Math.max(least, LEAST_MS)));
  return { kind, low, high: Math.max(10 ** Math.ceil(Math.log10(most)), low * 10) };
}

function valuesIn(series: RoundTripSeries, w: TimeWindow): number[] {
  const inside = (t: number): boolean => t >= w.fromNs && t <= windowEnd(w);
  const { points, ranges } = series;
  return [
    ...points.rtt_ms.filter((_, at) => inside(points.t[at] ?? NaN)),
    ...ranges.high_ms.filter((_, at) => inside(ranges.t[at] ?? NaN)),
    ...ranges.low_ms.filter((_, at) => inside(ranges.t[at] ?? NaN)),
  ];
}

export interface AxisTick {
  ms: number;
  label: string;
}

const US_PER_MS = 1_000;

/** Labels of less than a millisecond are counted in microseconds. */
export const unitOf = (scale: Scale): "ms" | "µs" => (scale.high < 1 ? "µs" : "ms");

/** Three to six labels, none twice, in the unit of the scale. */
export function axisTicks(scale: Scale): AxisTick[] {
  const tick = (ms: number): AxisTick => ({ ms, label: String(Number((ms * (unitOf(scale) === "µs" ? US_PER_MS : 1)).toPrecision(6))) });
  if (scale.kind === "log") {
    const first = Math.round(Math.log10(scale.low));
    const count = Math.round(Math.log10(scale.high)) - first + 1;
    return Array.from({ length: count }, (_, n) => tick(10 ** (first + n)));
  }
  const step = niceAtLeastFraction((scale.high - scale.low) / 4);
  const count = Math.floor(scale.high / step + 1e-9) + 1;
  return Array.from({ length: count }, (_, n) => tick(n * step));
}

/** Smallest 1, 2 or 5 × 10^n that is at least `value`, below 1 too. */
function niceAtLeastFraction(value: number): number {
  const shift = 10 ** 6;
  return niceAtLeast(value * shift) / shift;
}

const HEIGHTS_PX = [320, 210, 160, 130];

export function layoutPanels(series: readonly RoundTripSeries[], widthPx: number, scales: readonly Scale[]): Geometry {
  const height = HEIGHTS_PX[Math.min(series.length, HEIGHTS_PX.length) - 1] ?? 320;
  const panels = series.map((each, n) => ({ series: each, scale: scales[n] ?? { kind: "linear", low: 0, high: 1 }, height, top: n * (height + HEADING_PX + GAP_PX) + HEADING_PX }));
  return { widthPx, panels, height: Math.max(series.length * (height + HEADING_PX + GAP_PX) - GAP_PX, 0) };
}

export interface Hit {
  panel: Panel;
  /** Index into the panel's points. */
  at: number;
}

/** The sample nearest to a place of the picture, within reach of a finger. */
export function sampleAt(geometry: Geometry, w: TimeWindow, x: number, y: number): Hit | null {
  const panel = geometry.panels.find((each) => y >= each.top && y <= each.top + each.height);
  if (panel === undefined) return null;
  const { points } = panel.series;
  let best: Hit | null = null;
  let nearest = REACH_PX ** 2;
  for (let at = 0; at < points.t.length; at += 1) {
    const dx = (((points.t[at] ?? 0) - w.fromNs) / w.durationNs) * geometry.widthPx - x;
    if (Math.abs(dx) > REACH_PX) continue;
    const dy = panel.top + panel.height * (1 - place(panel.scale, points.rtt_ms[at] ?? 0)) - y;
    const far = dx * dx + dy * dy;
    if (far < nearest) [nearest, best] = [far, { panel, at }];
  }
  return best;
}

const REACH_PX = 12;

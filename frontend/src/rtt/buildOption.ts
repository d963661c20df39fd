/** The chart's whole option as a pure function of what is viewed, what is known and the theme. */
import type { HeldGroup, RoundTripSeries } from "../api/roundTrips";
import { NS_PER_MS } from "../format/offset";
import type { TimeWindow } from "../timeline/timeWindow";
import { windowEnd } from "../timeline/timeWindow";
import type { Tokens } from "../timeline/tokens";
import { place, type Geometry, type Panel } from "./scale";

/** The subset of ECharts' graphic elements used here. */
interface Shape {
  type: "group" | "line" | "rect" | "polyline" | "text";
  shape?: Record<string, unknown>;
  style?: Record<string, unknown>;
  children?: Shape[];
}

export interface RttView {
  window: TimeWindow;
  geometry: Geometry;
  /** `finding~instance` of the group that stands out, or null. */
  selected: string | null;
  /** Sample under the pointer. */
  current: number | null;
  guides: boolean;
}

export interface RttContent {
  kinds: readonly string[];
  /** Names of the groups that points refer to. */
  groupNames: readonly string[];
  groups: readonly HeldGroup[];
  bucketNs: number;
}

/** One a kind; the words beside the chart say which is which. */
const SYMBOLS = ["circle", "triangle", "rect", "diamond", "arrow", "roundRect"] as const;
export const symbolOf = (kind: number): string => SYMBOLS[kind % SYMBOLS.length] ?? "circle";

const LARGE_FROM = 2_000;
const HATCH_PX = 7;
const EDGE_FROM_PX = 24;
const FADED = 0.3;
export const groupName = (group: { finding: string; instance: number }): string => `${group.finding}~${group.instance}`;

type Draw = (x: (t: number) => number, index: number) => Shape | undefined;

export function buildOption(view: RttView, content: RttContent, tokens: Tokens) {
  const { window: w, geometry } = view;
  const grids = geometry.panels.map((panel) => ({ left: 0, right: 0, top: panel.top, height: panel.height }));
  const axis = (gridIndex: number, min: number, max: number) => ({ type: "value" as const, gridIndex, min, max, show: false });
  return {
    animation: false,
    aria: { enabled: false },
    grid: grids,
    xAxis: grids.map((_, n) => axis(n, w.fromNs, windowEnd(w))),
    yAxis: grids.map((_, n) => axis(n, 0, 1)),
    series: geometry.panels.flatMap((panel, n) => panelSeries(panel, n, view, content, tokens)),
  };
}

function custom(id: string, z: number, axis: number, data: [number, number][], draw: Draw) {
  return {
    id, type: "custom" as const, xAxisIndex: axis, yAxisIndex: axis, silent: true, animation: false as const, progressive: 0 as const, clip: true, z, data,
    renderItem: (params: { dataIndex: number }, api: { coord: (point: [number, number]) => number[] }) =>
      draw((t) => api.coord([t, 0])[0] ?? 0, params.dataIndex),
  };
}

function panelSeries(panel: Panel, n: number, view: RttView, content: RttContent, tokens: Tokens) {
  const id = panel.series.id;
  const groups = groupsOf(panel.series, content.groups, view.window);
  const at = groups.map((group): [number, number] => [group.t, 0]);
  const pick = (draw: (group: HeldGroup, x: (t: number) => number) => Shape | undefined): Draw => (x, index) => {
    const group = groups[index];
    return group === undefined ? undefined : draw(group, x);
  };
  return [
    custom(`${id}-bands`, 1, n, at, pick((group, x) => band(group, x, panel, view, tokens))),
    custom(`${id}-ranges`, 2, n, panel.series.ranges.t.map((t): [number, number] => [t, 0]), (x, index) => range(panel, index, x, content, tokens)),
    ...scatters(panel, n, view, content, tokens),
    custom(`${id}-slopes`, 4, n, view.guides && panel.series.nearest ? at : [], pick((group, x) => slope(group, x, panel, view, tokens))),
    custom(`${id}-brackets`, 6, n, at, pick((group, x) => bracket(group, x, panel, view, tokens))),
  ];
}

/** Groups between the two hosts of a series that reach into the window. */
export function groupsOf(series: RoundTripSeries, groups: readonly HeldGroup[], w: TimeWindow): HeldGroup[] {
  return groups.filter(
    (group) => group.prober === series.prober && group.responder === series.responder && group.t_end >= w.fromNs && group.t <= windowEnd(w),
  );
}

const opacityOf = (name: string, view: RttView): number => (view.selected === null || view.selected === name ? 1 : FADED);

/** From the first held question to the last answer: tinted and hatched, so that it shows without colour, too. */
function band(group: HeldGroup, x: (t: number) => number, panel: Panel, view: RttView, tokens: Tokens): Shape {
  const [left, right] = [x(group.t), Math.max(x(group.t_end), x(group.t) + 2)];
  const { top, height } = panel;
  const opacity = opacityOf(groupName(group), view);
  const ink = tokens.roles.stall;
  const hatch: Shape[] = [];
  for (let start = left - height; start < right && right - left >= HATCH_PX; start += HATCH_PX) {
    const [from, to] = [Math.max(start, left), Math.min(start + height, right)];
    if (to <= from) continue;
    hatch.push({
      type: "line", shape: { x1: from, y1: top + height - (from - start), x2: to, y2: top + height - (to - start) },
      style: { stroke: ink, lineWidth: 0.6, opacity: 0.28 * opacity },
    });
  }
  return {
    type: "group",
    children: [
      { type: "rect", shape: { x: left, y: top, width: right - left, height }, style: { fill: ink, opacity: 0.12 * opacity } },
      ...hatch,
      // Of a narrow band an edge of full height is all that would be seen: ten of them are a row of needles.
      ...(right - left < EDGE_FROM_PX ? [] : [{ type: "rect" as const, shape: { x: left, y: top, width: 2, height }, style: { fill: ink, opacity: 0.8 * opacity } }]),
    ],
  };
}

const yOf = (panel: Panel, ms: number): number => panel.top + panel.height * (1 - place(panel.scale, ms));

const RANGE_OPACITY = 0.16;

/** Least to most of a stretch, with its median and its end across: the span is faint, or single samples draw needles. */
function range(panel: Panel, index: number, x: (t: number) => number, content: RttContent, tokens: Tokens): Shape {
  const { ranges } = panel.series;
  const t = ranges.t[index] ?? 0;
  const [left, right] = [x(t), x(t + content.bucketNs)];
  const width = Math.max(right - left - 0.5, 1);
  const y = (ms: number | undefined): number => yOf(panel, ms ?? 0);
  const [high, low, middle] = [y(ranges.high_ms[index]), y(ranges.low_ms[index]), y(ranges.middle_ms[index])];
  const fill = tokens.roles.neutral;
  return {
    type: "group",
    children: [
      { type: "rect", shape: { x: left, y: high, width, height: Math.max(low - high, 1) }, style: { fill, opacity: RANGE_OPACITY } },
      { type: "rect", shape: { x: left, y: high, width, height: 2 }, style: { fill, opacity: 0.6 } },
      { type: "rect", shape: { x: left, y: middle - 1, width, height: 2 }, style: { fill, opacity: 0.95 } },
    ],
  };
}

interface Held {
  held: boolean;
  kind: number;
}

function scatters(panel: Panel, n: number, view: RttView, content: RttContent, tokens: Tokens) {
  const { points } = panel.series;
  const kinds = [...new Set(points.kind)];
  const sorts: Held[] = kinds.flatMap((kind) => [{ kind, held: false }, { kind, held: true }]);
  return sorts.flatMap(({ kind, held }) => {
    const rows = points.t.map((_, at) => at).filter((at) => points.kind[at] === kind && (points.group[at] ?? -1) >= 0 === held);
    if (rows.length === 0) return [];
    return [{
      id: `${panel.series.id}-${kind}-${held ? "held" : "free"}`, type: "scatter" as const, xAxisIndex: n, yAxisIndex: n, silent: true, animation: false as const,
      progressive: 0 as const, large: !held && rows.length > LARGE_FROM, symbol: symbolOf(kind), symbolSize: held ? 7 : 5, z: held ? 5 : 3,
      itemStyle: { color: held ? tokens.roles.stall : tokens.roles.neutral, opacity: held ? 1 : 0.7 },
      data: rows.map((at) => point(at, panel, view, content, tokens, held)),
    }];
  });
}

function point(at: number, panel: Panel, view: RttView, content: RttContent, tokens: Tokens, held: boolean) {
  const { points } = panel.series;
  const value: [number, number] = [points.t[at] ?? 0, place(panel.scale, points.rtt_ms[at] ?? 0)];
  const isCurrent = points.sid[at] === view.current;
  const name = content.groupNames[points.group[at] ?? -1];
  const faded = held && name !== undefined && opacityOf(name, view) < 1;
  if (!isCurrent && !faded) return value;
  return { value, symbolSize: isCurrent ? 11 : 7, itemStyle: { opacity: faded ? FADED : 1, borderColor: isCurrent ? tokens.text : undefined, borderWidth: isCurrent ? 2 : 0 } };
}

const SLOPE_STEPS = 16;
const SLOPE_FROM_PX = 14;

/** What each question would wait that is answered when the group ends: falls by as much as time goes on. */
function slope(group: HeldGroup, x: (t: number) => number, panel: Panel, view: RttView, tokens: Tokens): Shape | undefined {
  if (x(group.t_end) - x(group.t) < SLOPE_FROM_PX) return undefined;
  const steps = Array.from({ length: SLOPE_STEPS + 1 }, (_, n) => group.t + ((group.t_end - group.t) * n) / SLOPE_STEPS);
  const points = steps.map((t) => [x(t), yOf(panel, (group.t_end - t) / NS_PER_MS)]);
  return {
    type: "polyline", shape: { points },
    style: { fill: null, stroke: tokens.text, lineWidth: 1.2, lineDash: [5, 4], opacity: 0.75 * opacityOf(groupName(group), view) },
  };
}

const LABEL_FROM_PX = 26;
const SLOPE_LABEL_FROM_PX = 110;

function bracket(group: HeldGroup, x: (t: number) => number, panel: Panel, view: RttView, tokens: Tokens): Shape {
  const [left, right] = [x(group.t), Math.max(x(group.t_end), x(group.t) + 3)];
  const y = panel.top + 3;
  const opacity = opacityOf(groupName(group), view);
  const slopeWords = group.slope === null || right - left < SLOPE_LABEL_FROM_PX ? "" : ` delayed · slope ${group.slope.toFixed(2).replace("-", "−")}`;
  const children: Shape[] = [{
    type: "polyline", shape: { points: [[left, y + 6], [left, y], [right, y], [right, y + 6]] },
    style: { fill: null, stroke: tokens.roleTexts.stall, lineWidth: 1.6, opacity },
  }];
  if (right - left >= LABEL_FROM_PX) {
    children.push({
      type: "text",
      style: {
        text: `${group.samples}${slopeWords}`, x: (left + right) / 2, y: y + 12, fill: tokens.roleTexts.stall, textAlign: "center", textVerticalAlign: "middle",
        fontSize: 11, fontWeight: 600, stroke: tokens.surface, lineWidth: 3, opacity,
      },
    });
  }
  return { type: "group", children };
}

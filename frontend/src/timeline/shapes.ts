/** Marks as shapes: pure functions from a mark and a scale to what a custom series draws. */
import type { TimelineMark as Mark } from "../api/types";
import { NS_PER_S } from "../format/offset";
import { arcPoints } from "./arcs";
import type { ChartGeometry, LaneRow } from "./laneLayout";
import type { Tokens } from "./tokens";

/** The subset of ECharts' graphic elements used here. */
export interface Shape {
  type: "group" | "circle" | "line" | "rect" | "polygon" | "polyline" | "text";
  shape?: Record<string, unknown>;
  style?: Record<string, unknown>;
  children?: Shape[];
  x?: number;
  y?: number;
  silent?: boolean;
  z2?: number;
}

export interface Slot {
  index: number;
  of: number;
}

/** What a mark is drawn with. */
export interface Brush {
  /** Pixel of a time. */
  x: (t: number) => number;
  geometry: ChartGeometry;
  tokens: Tokens;
  opacity: number;
  /** Above the middle of its lanes, where it would hide another mark. */
  lift: number;
  /** Thicker when selected. */
  strong: boolean;
  /** Which of the counters in its lane a step belongs to: each has a part of the height for itself. */
  slot: Slot;
  /** Role whose hue guides take. */
  accent: Mark["role"];
  /** Longest tooth of a comb in view, ns: it takes the lane's whole height. */
  toothNs: number;
}

const RADIUS = 5;
const CROSS = 6;
const FLAG_PX = 10;

const rowsOf = (mark: Mark, geometry: ChartGeometry): LaneRow[] =>
  mark.lanes.flatMap((id) => geometry.rows.filter((row) => row.lane.id === id));

/** Neutral events are drawn in ink: grey is kept for ordinary traffic. */
const inkOf = (mark: Mark, tokens: Tokens): string =>
  mark.role === "neutral" ? tokens.text : tokens.roles[mark.role];

const dashOf = (mark: Mark): number[] | null => (mark.basis === "inferred" ? [3, 2] : null);

/** Shapes of one mark, without its label; empty when none of its lanes is shown. */
export function shapesOf(mark: Mark, brush: Brush): Shape[] {
  const rows = rowsOf(mark, brush.geometry);
  if (mark.glyph === "guide") return guide(mark, brush);
  if (mark.glyph === "note") return note(mark, brush);
  if (rows.length === 0) return [];
  switch (mark.glyph) {
    case "instant": return rows.map((row) => instant(mark, row, brush));
    case "repeat": return rows.map((row) => ring(brush.x(mark.t), row.middle, mark, brush));
    case "missing": return rows.map((row) => cross(brush.x(mark.t), row.middle - brush.lift, mark, brush));
    case "ladder": return [arc(mark, rows[0] as LaneRow, brush)];
    case "path": return path(mark, rows, brush);
    case "pair": return pair(mark, rows, brush);
    case "step": return rows.flatMap((row) => step(mark, row, brush));
    case "bracket": return rows.map((row) => bracket(mark, row, brush));
    case "comb": return rows.map((row) => tooth(mark, row, brush));
    default: return band(mark, rows, brush);
  }
}

/** What a kernel's listing says is no packet: a triangle. */
const instant = (mark: Mark, row: LaneRow, brush: Brush): Shape =>
  row.lane.role === "kernel"
    ? triangle(brush.x(mark.t), row.middle, mark, brush)
    : dot(brush.x(mark.t), row.middle, inkOf(mark, brush.tokens), mark, brush);

function dot(cx: number, cy: number, fill: string, mark: Mark, brush: Brush): Shape {
  const inferred = mark.basis === "inferred";
  const style = inferred
    ? { fill: brush.tokens.surface, stroke: fill, lineWidth: 1.5, lineDash: dashOf(mark), opacity: brush.opacity }
    : { fill, opacity: brush.opacity };
  return { type: "circle", shape: { cx, cy, r: brush.strong ? RADIUS + 1 : RADIUS }, style };
}

function ring(cx: number, cy: number, mark: Mark, brush: Brush): Shape {
  const style = {
    fill: brush.tokens.surface, stroke: inkOf(mark, brush.tokens), lineWidth: 2.5,
    lineDash: dashOf(mark), opacity: brush.opacity,
  };
  return { type: "circle", shape: { cx, cy, r: RADIUS }, style };
}

function cross(cx: number, cy: number, mark: Mark, brush: Brush): Shape {
  const half = brush.strong ? CROSS + 1 : CROSS;
  const style = { stroke: inkOf(mark, brush.tokens), lineWidth: 3, opacity: brush.opacity };
  const stroke = (x1: number, y1: number, x2: number, y2: number): Shape => ({ type: "line", shape: { x1, y1, x2, y2 }, style });
  return {
    type: "group",
    children: [stroke(cx - half, cy - half, cx + half, cy + half), stroke(cx - half, cy + half, cx + half, cy - half)],
  };
}

function arc(mark: Mark, row: LaneRow, brush: Brush): Shape {
  const points = arcPoints(mark, row, brush.x);
  if (points === null) return { type: "group", children: [] };
  return {
    type: "polyline",
    shape: { points },
    style: {
      fill: "none", stroke: inkOf(mark, brush.tokens), lineWidth: brush.strong ? 2 : 1.4,
      lineDash: dashOf(mark), opacity: brush.opacity,
    },
  };
}

/** From the packet that was seen down to where it is missing. */
export function dropLine(mark: Mark, marks: readonly Mark[], brush: Brush): Shape[] {
  const seen = marks.filter((other) => other.finding === mark.finding && other.instance === mark.instance && other.t <= mark.t
    && (other.glyph === "instant" || other.glyph === "repeat")).at(-1);
  const [from, to] = [seen && rowsOf(seen, brush.geometry).at(-1), rowsOf(mark, brush.geometry)[0]];
  if (seen === undefined || from === undefined || to === undefined || from === to) return [];
  const style = { stroke: inkOf(mark, brush.tokens), lineWidth: 1.4, lineDash: [4, 3], opacity: brush.opacity };
  return [{ type: "line", shape: { x1: brush.x(seen.t), y1: from.middle, x2: brush.x(mark.t), y2: to.middle - brush.lift }, style }];
}

function path(mark: Mark, rows: LaneRow[], brush: Brush): Shape[] {
  const [from, to] = [brush.x(mark.t), brush.x(mark.t_end ?? mark.t)];
  const last = Math.max(rows.length - 1, 1);
  const points = rows.map((row, index) => [from + ((to - from) * index) / last, row.middle]);
  const stroke = inkOf(mark, brush.tokens);
  const line: Shape = {
    type: "polyline",
    shape: { points },
    style: { fill: "none", stroke, lineWidth: brush.strong ? 2.5 : 1.6, lineDash: dashOf(mark), opacity: brush.opacity },
  };
  const end = points.at(-1);
  const foot: Shape = {
    type: "rect",
    shape: { x: (end?.[0] ?? to) - 4, y: (end?.[1] ?? 0) - 4, width: 8, height: 8 },
    style: { fill: stroke, opacity: brush.opacity },
  };
  return mark.role === "ok" ? [line, foot] : [line];
}

/** In its lane; of two lanes at the border of the upper one, for in the middle it would stand in a lane between them. */
export function pairY(rows: readonly LaneRow[]): number {
  const upper = rows.reduce((a, b) => (b.top < a.top ? b : a), rows[0] as LaneRow);
  return rows.length < 2 ? upper.middle : upper.top + upper.height;
}

function pair(mark: Mark, rows: LaneRow[], brush: Brush): Shape[] {
  const x = brush.x(mark.t);
  const y = pairY(rows);
  const half = brush.strong ? 10 : 8;
  const fill = inkOf(mark, brush.tokens);
  const leg = (other: number): Shape => ({
    type: "line", shape: { x1: brush.x(other), y1: y - half - 6, x2: x, y2: y }, style: { stroke: fill, lineWidth: 1, opacity: brush.opacity },
  });
  const across: Shape[] = rows.length < 2 ? [] : rows.map((row) => ({
    type: "line", shape: { x1: x, y1: y, x2: x, y2: row.middle }, style: { stroke: fill, lineWidth: 1, opacity: brush.opacity },
  }));
  const diamond: Shape = {
    type: "polygon",
    shape: { points: [[x, y - half], [x + half, y], [x, y + half], [x - half, y]] },
    style: { fill, stroke: brush.tokens.surface, lineWidth: 1, lineDash: dashOf(mark), opacity: brush.opacity },
  };
  return [...(rows.length < 2 ? [leg(mark.t), leg(mark.t_end ?? mark.t)] : across), diamond];
}

function triangle(x: number, y: number, mark: Mark, brush: Brush): Shape {
  const fill = mark.role === "neutral" ? brush.tokens.textDim : brush.tokens.roles[mark.role];
  return {
    type: "polygon",
    shape: { points: [[x, y - 5], [x + 6, y + 6], [x - 6, y + 6]] },
    style: { fill, opacity: brush.opacity },
  };
}

/** Space between the staircases of two counters. */
const STAIR_GAP_PX = 6;

/** Where a counter's staircase begins and ends in its lane. */
export function stairOf(row: LaneRow, slot: Slot): { high: number; low: number } {
  const height = (row.floor - row.top - STAIR_GAP_PX) / slot.of;
  const high = row.top + STAIR_GAP_PX + slot.index * height;
  return { high, low: high + height - STAIR_GAP_PX };
}

/** Flat from one dump to the next, where it rises: when in between it rose is not known, so no slope is drawn. */
function step(mark: Mark, row: LaneRow, brush: Brush): Shape[] {
  if (mark.t_end === null) return [triangle(brush.x(mark.t), row.middle, mark, brush)];
  const [from, to] = [brush.x(mark.t), brush.x(mark.t_end)];
  const { high, low } = stairOf(row, brush.slot);
  const stroke = inkOf(mark, brush.tokens);
  const line = { fill: "none", stroke, lineWidth: brush.strong ? 2.5 : 1.8, opacity: brush.opacity };
  const dump = (x: number): Shape => ({
    type: "line", shape: { x1: x, y1: low - 3, x2: x, y2: low + 3 }, style: { stroke, lineWidth: 1.8, opacity: brush.opacity },
  });
  return [
    { type: "rect", shape: { x: from, y: high, width: Math.max(to - from, 1), height: low - high }, style: { fill: stroke, opacity: 0.08 * brush.opacity } },
    { type: "polyline", shape: { points: [[from, low], [to, low], [to, high], [to + STAIR_TREAD_PX, high]] }, style: line },
    dump(from),
  ];
}

/** How far the new value is drawn beyond its dump: nothing is known of later. */
const STAIR_TREAD_PX = 8;

export const bracketTop = (row: LaneRow): number => row.middle - 8;

function bracket(mark: Mark, row: LaneRow, brush: Brush): Shape {
  const [x1, x2] = [brush.x(mark.t), Math.max(brush.x(mark.t_end ?? mark.t), brush.x(mark.t) + 4)];
  const y = bracketTop(row);
  return {
    type: "polyline",
    shape: { points: [[x1, y + 14], [x1, y], [x2, y], [x2, y + 14]] },
    style: { fill: "none", stroke: inkOf(mark, brush.tokens), lineWidth: 2, opacity: brush.opacity },
  };
}

/** One of a falling series, where it was sent, as high as it took long. */
function tooth(mark: Mark, row: LaneRow, brush: Brush): Shape {
  const x = brush.x(mark.t);
  const height = (row.floor - row.top - 4) * Math.min(1, toothLength(mark) / Math.max(brush.toothNs, 1));
  return {
    type: "line",
    shape: { x1: x, y1: row.floor, x2: x, y2: row.floor - Math.max(height, 2) },
    style: { stroke: inkOf(mark, brush.tokens), lineWidth: brush.strong ? 3 : 2, lineDash: dashOf(mark), opacity: brush.opacity },
  };
}

/** ns; 0 for what is no tooth. */
export const toothLength = (mark: Mark): number => (mark.glyph === "comb" ? (mark.t_end ?? mark.t) - mark.t : 0);

const BAND_FILL = 0.22;

function band(mark: Mark, rows: LaneRow[], brush: Brush): Shape[] {
  const x = brush.x(mark.t);
  const width = Math.max(brush.x(mark.t_end ?? mark.t) - x, 2);
  const fill = inkOf(mark, brush.tokens);
  return rows.flatMap((row) => [
    { type: "rect" as const, shape: { x, y: row.top + 4, width, height: row.floor - row.top - 4 }, style: { fill, opacity: BAND_FILL * brush.opacity } },
    { type: "rect" as const, shape: { x, y: row.top + 4, width: 2, height: row.floor - row.top - 4 }, style: { fill, opacity: brush.opacity } },
  ]);
}

/** Expected time of a guide and how far from it still counts as on time. */
export function guideRange(mark: Mark): { from: number; at: number; to: number } {
  const tolerance = Math.round((mark.value ?? 0) * NS_PER_S);
  if (tolerance > 0) return { from: mark.t - tolerance, at: mark.t, to: mark.t + tolerance };
  const to = mark.t_end ?? mark.t;
  return { from: mark.t, at: (mark.t + to) / 2, to };
}

function guide(mark: Mark, brush: Brush): Shape[] {
  const { x, geometry, tokens } = brush;
  const range = guideRange(mark);
  const [from, at, to] = [x(range.from), x(range.at), x(range.to)];
  const stroke = tokens.roles[brush.accent];
  const strip: Shape = {
    type: "rect",
    shape: { x: from, y: 0, width: Math.max(to - from, 3), height: geometry.lanesBottom },
    style: { fill: stroke, opacity: 0.07 },
  };
  const line: Shape = {
    type: "line",
    shape: { x1: at, y1: 0, x2: at, y2: geometry.lanesBottom },
    style: { stroke, lineWidth: 1.2, lineDash: [2, 3] },
  };
  return [strip, line];
}

/** A dashed line over all lanes, at both ends of a stretch, with a flag that stands in its lane if it has one. */
function note(mark: Mark, brush: Brush): Shape[] {
  const { x, geometry, tokens, opacity } = brush;
  const [from, to] = [x(mark.t), x(mark.t_end ?? mark.t)];
  const style = { stroke: tokens.text, lineWidth: brush.strong ? 2 : 1, lineDash: [5, 3], opacity };
  const line = (at: number): Shape => ({ type: "line", shape: { x1: at, y1: 0, x2: at, y2: geometry.lanesBottom }, style });
  const top = (rowsOf(mark, geometry)[0]?.middle ?? FLAG_PX) - FLAG_PX;
  const points = [[from, top], [from + FLAG_PX, top + FLAG_PX / 2], [from, top + FLAG_PX]];
  const flag: Shape = { type: "polygon", shape: { points }, style: { fill: tokens.text, opacity } };
  return to - from < 1 ? [line(from), flag] : [line(from), line(to), flag];
}

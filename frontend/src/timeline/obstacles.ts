/** What no word may be written over: glyphs, arcs, brackets, handles of the lens. Pure. */
import type { TimelineMark as Mark } from "../api/types";
import { arcPoints } from "./arcs";
import type { ChartGeometry } from "./laneLayout";
import { lensHandles } from "./lens";
import { bracketTop } from "./shapes";
import { liftOf } from "./stacking";
import type { TimeAxis } from "./timeAxis";

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Half of a line of text, and of a glyph. */
export const HALF_PX = 6.5;
const GLYPH_PX = 6;
const LINE_PX = 2;
const HANDLE = { halfPx: 34, above: 27, height: 20 };
const POINTS: Mark["glyph"][] = ["instant", "repeat", "missing", "pair"];

const around = (x: number, y: number, halfX: number, halfY: number): Box => ({ left: x - halfX, right: x + halfX, top: y - halfY, bottom: y + halfY });

function boxesOf(mark: Mark, marks: readonly Mark[], geometry: ChartGeometry, axis: TimeAxis): Box[] {
  const rows = geometry.rows.filter((row) => mark.lanes.includes(row.lane.id));
  const [first] = rows;
  if (first === undefined) return [];
  if (mark.glyph === "ladder") return arcPoints(mark, first, axis.x).map(([x, y]) => around(x, y, LINE_PX, LINE_PX));
  if (mark.glyph === "bracket") {
    const to = Math.max(axis.x(mark.t_end ?? mark.t), axis.x(mark.t) + 4);
    return rows.map((row) => ({ left: axis.x(mark.t) - LINE_PX, right: to + LINE_PX, top: bracketTop(row) - LINE_PX, bottom: bracketTop(row) + 16 }));
  }
  if (!POINTS.includes(mark.glyph)) return [];
  return rows.map((row) => around(axis.x(mark.t), row.middle - liftOf(mark, marks, axis), GLYPH_PX, HALF_PX));
}

export function obstaclesOf(marks: readonly Mark[], isChosen: (mark: Mark) => boolean, geometry: ChartGeometry, axis: TimeAxis): Box[] {
  const handles = lensHandles(marks, isChosen, geometry, axis)
    .map(({ x, y }): Box => ({ left: x - HANDLE.halfPx, right: x + HANDLE.halfPx, top: y - HANDLE.above, bottom: y - HANDLE.above + HANDLE.height }));
  return [...marks.flatMap((mark) => boxesOf(mark, marks, geometry, axis)), ...handles];
}

export const overlap = (a: Box, b: Box, gapPx = 0): boolean =>
  a.left - gapPx < b.right && a.right + gapPx > b.left && a.top < b.bottom && a.bottom > b.top;

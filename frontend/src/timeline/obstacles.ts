/** What no word may be written over: glyphs, arcs, brackets, handles of the lens. Pure. */
import type { TimelineMark as Mark } from "../api/types";
import { arcPoints } from "./arcs";
import type { ChartGeometry } from "./laneLayout";
import { lensHandles } from "./lens";
import { bracketTop, guideRange } from "./shapes";
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

/** One box a piece of the line: pieces are upright, level or short. */
const boxesOfLine = (points: readonly (readonly [number, number])[]): Box[] =>
  points.slice(1).map(([x, y], index): Box => {
    const [x0, y0] = points[index] ?? [x, y];
    return { left: Math.min(x, x0) - LINE_PX, right: Math.max(x, x0) + LINE_PX, top: Math.min(y, y0) - LINE_PX, bottom: Math.max(y, y0) + LINE_PX };
  });

function boxesOf(mark: Mark, marks: readonly Mark[], geometry: ChartGeometry, axis: TimeAxis): Box[] {
  const rows = geometry.rows.filter((row) => mark.lanes.includes(row.lane.id));
  const [first] = rows;
  if (first === undefined) return [];
  if (mark.glyph === "ladder") return boxesOfLine(arcPoints(mark, first, axis.x) ?? []);
  if (mark.glyph === "bracket") {
    const to = Math.max(axis.x(mark.t_end ?? mark.t), axis.x(mark.t) + 4);
    return rows.map((row) => ({ left: axis.x(mark.t) - LINE_PX, right: to + LINE_PX, top: bracketTop(row) - LINE_PX, bottom: bracketTop(row) + 16 }));
  }
  if (!POINTS.includes(mark.glyph)) return [];
  return rows.map((row) => around(axis.x(mark.t), row.middle - liftOf(mark, marks, axis), GLYPH_PX, HALF_PX));
}

/** The button that opens the lens. */
export const handleBox = ({ x, y }: { x: number; y: number }): Box =>
  ({ left: x - HANDLE.halfPx, right: x + HANDLE.halfPx, top: y - HANDLE.above, bottom: y - HANDLE.above + HANDLE.height });

export function obstaclesOf(marks: readonly Mark[], isChosen: (mark: Mark) => boolean, geometry: ChartGeometry, axis: TimeAxis): Box[] {
  const handles = lensHandles(marks, isChosen, geometry, axis).map(handleBox);
  return [...marks.flatMap((mark) => boxesOf(mark, marks, geometry, axis)), ...handles];
}

/** Lines that a word may stand on where there is no other place: paths, guides, notes and dropped packets. */
export function linesOf(marks: readonly Mark[], isChosen: (mark: Mark) => boolean, geometry: ChartGeometry, axis: TimeAxis): Box[] {
  const upright = (x: number, top: number, bottom: number): Box => ({ left: x - LINE_PX, right: x + LINE_PX, top, bottom });
  return marks.flatMap((mark): Box[] => {
    const rows = geometry.rows.filter((row) => mark.lanes.includes(row.lane.id));
    const [first, last] = [rows[0], rows.at(-1)];
    if (mark.glyph === "guide" || mark.glyph === "note") return [upright(axis.x(mark.glyph === "guide" ? guideRange(mark).at : mark.t), 0, geometry.lanesBottom)];
    if (mark.glyph === "path" && first !== undefined && last !== undefined) {
      const [from, to] = [axis.x(mark.t), axis.x(mark.t_end ?? mark.t)];
      return [{ left: Math.min(from, to) - LINE_PX, right: Math.max(from, to) + LINE_PX, top: first.middle, bottom: last.middle }];
    }
    if (mark.glyph === "missing" && isChosen(mark) && last !== undefined) return [upright(axis.x(mark.t), geometry.rows[0]?.middle ?? 0, last.middle)];
    return [];
  });
}

export const overlap = (a: Box, b: Box, gapPx = 0): boolean =>
  a.left - gapPx < b.right && a.right + gapPx > b.left && a.top < b.bottom && a.bottom > b.top;

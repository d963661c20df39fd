/** Which mark is under the pointer. */
import type { TimelineMark as Mark } from "../api/types";
import type { ChartGeometry } from "./laneLayout";
import { LANE_HEIGHT } from "./laneLayout";
import { rowAt } from "./findingBars";
import { instancesOf, markEnd, type Instance } from "./marks";
import { pairY } from "./shapes";
import { liftOf } from "./stacking";
import type { TimeAxis } from "./timeAxis";

const REACH_PX = 11;

/** The same order in which marks survive grouping: what is missing comes first. */
const RANK: Mark["glyph"][] = ["missing", "pair", "repeat", "instant", "step", "note", "ladder", "path", "bracket", "band", "comb"];

export function markAt(marks: readonly Mark[], geometry: ChartGeometry, axis: TimeAxis, x: number, y: number): Mark | null {
  let best: Mark | null = null;
  let bestScore = Infinity;
  for (const mark of marks) {
    const distance = distanceTo(mark, geometry, axis, x, y + liftOf(mark, marks, axis));
    if (distance > REACH_PX) continue;
    const score = distance + Math.max(RANK.indexOf(mark.glyph), 0) * 0.9;
    if (score < bestScore) [best, bestScore] = [mark, score];
  }
  return best;
}

function distanceTo(mark: Mark, geometry: ChartGeometry, axis: TimeAxis, x: number, y: number): number {
  if (mark.glyph === "guide") return Infinity;
  const rows = geometry.rows.filter((row) => mark.lanes.includes(row.lane.id));
  const from = axis.x(mark.t);
  const to = mark.glyph === "instant" || mark.glyph === "repeat" || mark.glyph === "missing" || mark.glyph === "pair"
    ? from : axis.x(markEnd(mark));
  const dx = x < from ? from - x : x > to ? x - to : 0;
  if (mark.glyph === "pair" && rows.length > 1) return Math.hypot(dx, pairY(rows) - y);
  const heights = rows.map((row) => Math.abs(row.middle - y));
  if (mark.glyph === "note") return Math.min(Math.abs(x - from), Math.abs(x - to));
  if (mark.glyph === "ladder") return dx + Math.min(heights[0] ?? Infinity, Math.abs((rows[0]?.arcY ?? Infinity) - y)) * 0.5;
  // A staircase fills its lane.
  const inside = mark.glyph === "step" ? LANE_HEIGHT / 2 : 0;
  return Math.hypot(dx, Math.max(Math.min(Infinity, ...heights) - inside, 0));
}

/** The instance whose bar in the first lane is under the pointer; the shortest where several overlap. */
export function instanceAt(marks: readonly Mark[], findings: readonly string[], geometry: ChartGeometry, axis: TimeAxis, x: number, y: number): Instance | null {
  if (y > geometry.findingsHeight) return null;
  const finding = findings[rowAt(y)];
  const hit = instancesOf(marks).filter((instance) => {
    if (instance.finding !== finding) return false;
    const [from, to] = [axis.x(instance.from), axis.x(instance.to)];
    return x >= from - 3 && x <= Math.max(to, from) + 3;
  });
  return hit.sort((a, b) => b.from - a.from)[0] ?? null;
}

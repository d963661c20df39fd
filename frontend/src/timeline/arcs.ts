/** The course of the arcs between retransmissions. Pure. */
import type { TimelineMark as Mark } from "../api/types";
import type { LaneRow } from "./laneLayout";

/** Arcs shorter than this say nothing and are left out. */
const SHORTEST_ARC_PX = 8;

type Point = [number, number];

/** End, two control points and end of an arc over its lane; null for one too short. */
export function arcCurve(mark: Mark, row: LaneRow, x: (t: number) => number): [Point, Point, Point, Point] | null {
  const [x1, x2] = [x(mark.t), x(mark.t_end ?? mark.t)];
  if (x2 - x1 < SHORTEST_ARC_PX) return null;
  const lift = row.middle - 30;
  const lean = Math.min((x2 - x1) * 0.08, 90);
  return [[x1, row.middle], [x1 + lean, lift], [x2 - lean, lift], [x2, row.middle]];
}

const ARC_STEPS = 24;

/** Points along an arc, close enough that no word fits between two of them. */
export function arcPoints(mark: Mark, row: LaneRow, x: (t: number) => number): Point[] {
  const curve = arcCurve(mark, row, x);
  if (curve === null) return [];
  const steps = Math.max(ARC_STEPS, Math.ceil((curve[3][0] - curve[0][0]) / ARC_STEPS));
  return Array.from({ length: steps + 1 }, (_, step): Point => {
    const v = step / steps;
    const weights = [(1 - v) ** 3, 3 * v * (1 - v) ** 2, 3 * v * v * (1 - v), v ** 3];
    const at = (axis: 0 | 1): number => weights.reduce((sum, weight, index) => sum + weight * (curve[index]?.[axis] ?? 0), 0);
    return [at(0), at(1)];
  });
}

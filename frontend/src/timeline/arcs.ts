/** The course of the arcs between retransmissions, in a band of their own above their lane's marks. Pure. */
import type { TimelineMark as Mark } from "../api/types";
import type { LaneRow } from "./laneLayout";

/** Shorter arcs are hidden by the marks at their ends and are left out. */
const SHORTEST_ARC_PX = 8;
const CORNER_PX = 10;
const CORNER_STEPS = 4;

type Point = [number, number];

/** Up from the first mark, along the band, down to the last; null for an arc that is too short. */
export function arcPoints(mark: Mark, row: LaneRow, x: (t: number) => number): Point[] | null {
  const [x1, x2] = [x(mark.t), x(mark.t_end ?? mark.t)];
  if (x2 - x1 < SHORTEST_ARC_PX) return null;
  const radius = Math.min(CORNER_PX, (x2 - x1) / 2);
  const corner = (centerX: number, fromDegrees: number): Point[] => Array.from({ length: CORNER_STEPS + 1 }, (_, step): Point => {
    const angle = ((fromDegrees + (90 * step) / CORNER_STEPS) * Math.PI) / 180;
    return [centerX + radius * Math.cos(angle), row.arcY + radius + radius * Math.sin(angle)];
  });
  return [[x1, row.middle], ...corner(x1 + radius, 180), ...corner(x2 - radius, 270), [x2, row.middle]];
}

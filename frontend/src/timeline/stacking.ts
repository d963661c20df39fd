/** Marks stand at their time: what would hide another mark of its lane stands above it, never beside it. Pure. */
import type { TimelineMark as Mark } from "../api/types";
import type { TimeAxis } from "./timeAxis";

/** Nearer than this two glyphs touch. */
const TOUCHING_PX = 12;
/** How far above its lane's middle a mark stands that would hide another. */
export const LIFT_PX = 14;

type Lifts = ReadonlySet<string>;

let latest: { marks: readonly Mark[]; axis: TimeAxis; lifts: Lifts } | null = null;

/** Pixels above the middle of its lanes at which the mark is drawn, named and hit. */
export function liftOf(mark: Mark, marks: readonly Mark[], axis: TimeAxis): number {
  if (mark.glyph !== "missing") return 0;
  if (latest?.marks !== marks || latest.axis !== axis) latest = { marks, axis, lifts: liftsOf(marks, axis) };
  return latest.lifts.has(mark.id) ? LIFT_PX : 0;
}

/** Ids of the missing packets that stand where another mark of their lane stands. */
function liftsOf(marks: readonly Mark[], axis: TimeAxis): Lifts {
  const others = new Map<string, number[]>();
  for (const mark of marks) {
    if (mark.glyph !== "instant" && mark.glyph !== "repeat" && mark.glyph !== "pair") continue;
    for (const lane of mark.lanes) push(others, lane, axis.x(mark.t));
  }
  const touches = (mark: Mark): boolean => {
    const x = axis.x(mark.t);
    return mark.lanes.some((lane) => others.get(lane)?.some((other) => Math.abs(other - x) < TOUCHING_PX));
  };
  return new Set(marks.filter((mark) => mark.glyph === "missing" && touches(mark)).map((mark) => mark.id));
}

function push(places: Map<string, number[]>, lane: string, x: number): void {
  const known = places.get(lane);
  if (known === undefined) places.set(lane, [x]);
  else known.push(x);
}

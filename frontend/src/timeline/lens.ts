/** Marks too close to be told apart at this width, and the window that shows them apart. Pure. */
import type { TimelineMark as Mark } from "../api/types";
import type { ChartGeometry } from "./laneLayout";
import type { TimeAxis } from "./timeAxis";
import { MIN_DURATION_NS, windowEnd, type TimeWindow } from "./timeWindow";

export interface LensHandle {
  window: TimeWindow;
  /** From the first of the marks to the last. */
  apartNs: number;
  x: number;
  y: number;
  /** Ids of the marks it stands for. */
  marks: string[];
}

/** Closer than this two marks look like one. */
const ONE_MARK_PX = 12;
/** More handles would hide what they stand on: an instance must be chosen first. */
const MOST_HANDLES = 10;
const AIR = 0.6;

interface Moment {
  t: number;
  mark: Mark;
}

/** When something happened; a missing packet has no moment of its own. */
function momentsOf(mark: Mark): Moment[] {
  if (mark.glyph === "pair") return [{ t: mark.t, mark }, { t: mark.t_end ?? mark.t, mark }];
  return mark.glyph === "instant" || mark.glyph === "repeat" ? [{ t: mark.t, mark }] : [];
}

export function lensHandles(marks: readonly Mark[], isChosen: (mark: Mark) => boolean, geometry: ChartGeometry, axis: TimeAxis): LensHandle[] {
  const w = axis.window;
  const chosen = marks.some(isChosen) ? marks.filter(isChosen) : marks;
  const moments = chosen.flatMap(momentsOf).filter(({ t }) => t >= w.fromNs && t <= windowEnd(w)).sort((a, b) => a.t - b.t);
  const reach = ONE_MARK_PX * axis.nsPerPx;
  const handles: LensHandle[] = [];
  for (let first = 0; first < moments.length;) {
    let last = first;
    while (moments[last + 1] && (moments[last + 1]?.t ?? 0) - (moments[first]?.t ?? 0) <= reach) last += 1;
    const handle = handleOf(moments.slice(first, last + 1), geometry, axis);
    if (handle) handles.push(handle);
    first = last + 1;
  }
  return handles.length <= MOST_HANDLES ? handles : [];
}

function handleOf(moments: Moment[], geometry: ChartGeometry, axis: TimeAxis): LensHandle | null {
  const [first, last] = [moments[0]?.t ?? 0, moments.at(-1)?.t ?? 0];
  const row = geometry.rows.find((each) => moments.some(({ mark }) => mark.lanes.includes(each.lane.id)));
  if (first === last || row === undefined) return null;
  const air = Math.max((last - first) * AIR, MIN_DURATION_NS);
  return {
    window: { fromNs: Math.floor(first - air), durationNs: Math.ceil(last - first + 2 * air) }, apartNs: last - first,
    x: axis.x((first + last) / 2), y: row.middle, marks: moments.map(({ mark }) => mark.id),
  };
}

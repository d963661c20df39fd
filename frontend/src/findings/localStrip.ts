/** The small timeline of one finding, or of one instance of it: its window and its lanes. Pure. */
import { epochNs } from "../format/instant";
import type { Timeline, TimelineLane, TimelineMark } from "../api/types";

export interface StripWindow {
  /** ns after t0. */
  from: number;
  to: number;
}

const MARGIN = 0.1;
/** A finding that is one moment still gets a window that something is seen in. */
const NARROWEST_NS = 200_000;

/** From the first to the last time of a finding, or of one of its instances, with a tenth of it on either side. */
export function stripWindow([first, last]: readonly [string | null, string | null], t0: string): StripWindow | null {
  const times = [first, last]
    .flatMap((time) => (time === null ? [] : [epochNs(time)]))
    .flatMap((time) => (time === null ? [] : [Number(time - BigInt(t0))]));
  if (!times.length) return null;
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const margin = Math.max((to - from) * MARGIN, NARROWEST_NS);
  return { from: Math.floor(from - margin), to: Math.ceil(to + margin) };
}

interface StripMark {
  mark: TimelineMark;
  from: number;
  to: number;
}

export interface StripLane {
  lane: TimelineLane;
  marks: StripMark[];
  /** Where packets are and how many, 0 to 1 of the highest. */
  bars: { at: number; height: number }[];
}

/** Lanes that the finding's marks lie on, with what lies on them, as shares of the window's width. */
export function stripLanes(timeline: Timeline, marks: readonly TimelineMark[], window: StripWindow): StripLane[] {
  const share = (t: number) => Math.min(1, Math.max(0, (t - window.from) / (window.to - window.from)));
  return timeline.lanes
    .map((lane) => ({
      lane,
      marks: marks
        .filter((mark) => mark.lanes.includes(lane.id) && mark.glyph !== "guide")
        .map((mark) => ({ mark, from: share(mark.t), to: share(mark.t_end ?? mark.t) })),
      bars: barsOf(timeline, lane, share),
    }))
    .filter((row) => row.marks.length > 0);
}

function barsOf(timeline: Timeline, lane: TimelineLane, share: (t: number) => number): StripLane["bars"] {
  if (timeline.mode === "packets") {
    return timeline.packets.filter((packet) => packet.lane === lane.id).map((packet) => ({ at: share(packet.t), height: 0.4 }));
  }
  const highest = Math.max(1, ...lane.packets);
  return lane.start.map((start, at) => ({ at: share(start), height: (lane.packets[at] ?? 0) / highest }));
}

/** What the status line says about the level of detail. */
import type { Timeline } from "../api/types";
import { stretch } from "../format/offset";
import { count, plural } from "../format/quantity";
import { windowEnd, type TimeWindow } from "./timeWindow";

/** Packets of each lane inside the window, from buckets or single packets. */
export function packetsByLane(timeline: Timeline, w: TimeWindow): Map<string, number> {
  const totals = new Map<string, number>(timeline.lanes.map((lane) => [lane.id, 0]));
  const inside = (t: number): boolean => t >= w.fromNs && t <= windowEnd(w);
  if (timeline.mode === "packets") {
    for (const packet of timeline.packets) {
      const lane = packet.group ?? packet.lane;
      if (inside(packet.t) && totals.has(lane)) totals.set(lane, (totals.get(lane) ?? 0) + 1);
    }
    return totals;
  }
  for (const lane of timeline.lanes) {
    const sum = lane.start.reduce((total, start, i) => (inside(start) ? total + (lane.packets[i] ?? 0) : total), 0);
    totals.set(lane.id, sum);
  }
  return totals;
}

/** `openNs` is how much of the window is not folded. */
export function detailText(timeline: Timeline, openNs: number, packets: number): string {
  if (timeline.mode === "packets") return `1 mark = 1 packet · ${count(packets)} packets in view`;
  const bars = Math.max(openNs / Math.max(timeline.bucket_ns, 1), 1);
  const each = packets / bars;
  const about = each >= 1 ? `about ${plural(Math.round(each), "packet")}` : "mostly fewer than 1 packet";
  return `1 bar = ${stretch(timeline.bucket_ns)}, ${about} · ${count(packets)} packets in view`;
}

export function marksText(shown: number, timeline: Timeline): string {
  const grouped = timeline.marks.length < timeline.marks_total;
  if (!grouped) return `${count(shown)} marks in view`;
  return `${count(timeline.marks.length)} of ${count(timeline.marks_total)} marks, the rest grouped`;
}

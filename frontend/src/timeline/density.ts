/** Ordinary traffic as one polygon a lane: cheap to draw, and it cannot hide a mark. */
import type { TimelineLane, TimelinePacket } from "../api/types";

export type Point = [number, number];

interface Spikes {
  /** Pixel of a time. */
  x: (t: number) => number;
  floor: number;
  heightPx: number;
  widthPx: number;
}

/** Highest spike of ordinary traffic, so that marks in the middle of a lane stay free. */
export const SPIKE_HEIGHT_PX = 24;
const LOWEST_SPIKE_PX = 2;

/** Outline of a lane's buckets that lie in view. `most` is the fullest bucket of all lanes. */
export function densityOutline(lane: TimelineLane, bucketNs: number, most: number, on: Spikes): Point[] {
  const points: Point[] = [[0, on.floor]];
  lane.start.forEach((start, index) => {
    const packets = lane.packets[index] ?? 0;
    const left = Math.max(on.x(start), -2);
    const right = Math.min(Math.max(on.x(start + bucketNs), left + 1), on.widthPx + 2);
    if (right < 0 || left > on.widthPx || packets <= 0) return;
    const top = on.floor - Math.max((packets / Math.max(most, 1)) * on.heightPx, LOWEST_SPIKE_PX);
    points.push([left, on.floor], [left, top], [right, top], [right, on.floor]);
  });
  points.push([on.widthPx, on.floor]);
  return points;
}

/** One spike a packet; a SYN stands taller. */
export function packetOutline(packets: readonly TimelinePacket[], laneId: string, on: Spikes): Point[] {
  const points: Point[] = [[0, on.floor]];
  for (const packet of packets) {
    if ((packet.group ?? packet.lane) !== laneId) continue;
    const x = on.x(packet.t);
    if (x < 0 || x > on.widthPx) continue;
    const top = on.floor - (packet.what.startsWith("SYN") ? on.heightPx * 0.6 : on.heightPx * 0.3);
    points.push([x - 0.75, on.floor], [x - 0.75, top], [x + 0.75, top], [x + 0.75, on.floor]);
  }
  points.push([on.widthPx, on.floor]);
  return points;
}

/** Fullest bucket over all lanes: every lane is drawn to the same scale. */
export function fullestBucket(lanes: readonly TimelineLane[]): number {
  let most = 1;
  for (const lane of lanes) for (const packets of lane.packets) most = Math.max(most, packets);
  return most;
}

/** Packets of all lanes by pixel column, for the overview strip. */
export function columnTotals(
  lanes: readonly TimelineLane[], packets: readonly TimelinePacket[], x: (t: number) => number, columns: number,
): Float64Array {
  const totals = new Float64Array(Math.max(columns, 1));
  const add = (t: number, amount: number): void => {
    const column = Math.floor(x(t));
    if (column >= 0 && column < totals.length) totals[column] = (totals[column] ?? 0) + amount;
  };
  const bucketed = lanes.some((lane) => lane.start.length > 0);
  for (const lane of lanes) lane.start.forEach((start, index) => add(start, lane.packets[index] ?? 0));
  if (!bucketed) for (const packet of packets) add(packet.t, 1);
  return totals;
}

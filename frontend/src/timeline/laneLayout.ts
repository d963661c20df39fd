/** Where each lane stands: pure geometry shared by the canvas and by the HTML around it. */

import type { TimelineLane as Lane } from "../api/types";
import type { TimeWindow } from "./timeWindow";

export const RULER_HEIGHT = 26;
export const FINDINGS_HEIGHT = 40;
export const LANE_HEIGHT = 58;
/** A lane nobody captured holds no marks and needs less room. */
export const UNCAPTURED_HEIGHT = 36;
export const OVERVIEW_HEIGHT = 56;
export const OVERVIEW_GAP = 18;
/** More lanes than this are collapsed into one line under the chart. */
export const MAX_LANES = 12;

export interface LaneRow {
  lane: Lane;
  top: number;
  height: number;
  /** Where marks sit. */
  middle: number;
  /** Where density stands on. */
  floor: number;
}

export interface ChartGeometry {
  widthPx: number;
  rows: LaneRow[];
  lanesBottom: number;
  overviewTop: number;
  overviewFloor: number;
  height: number;
}

/** Pinned lanes first, in the order they were pinned; the others keep theirs. */
export function orderLanes(lanes: readonly Lane[], pinned: readonly string[]): Lane[] {
  const top = pinned.flatMap((id) => lanes.filter((lane) => lane.id === id));
  return [...top, ...lanes.filter((lane) => !pinned.includes(lane.id))];
}

export function layoutLanes(lanes: readonly Lane[], chosen: readonly string[], widthPx: number): ChartGeometry {
  const known = lanes.filter((lane) => chosen.includes(lane.id));
  const shown = (known.length > 0 ? known : lanes).slice(0, MAX_LANES);
  let top = FINDINGS_HEIGHT;
  const rows = shown.map((lane) => {
    const height = lane.captured || isVirtual(lane) ? LANE_HEIGHT : UNCAPTURED_HEIGHT;
    const row = { lane, top, height, middle: top + height / 2, floor: top + height - 3 };
    top += height;
    return row;
  });
  const lanesBottom = top;
  const overviewTop = lanesBottom + OVERVIEW_GAP;
  return {
    widthPx,
    rows,
    lanesBottom,
    overviewTop,
    overviewFloor: overviewTop + OVERVIEW_HEIGHT - 3,
    height: overviewTop + OVERVIEW_HEIGHT,
  };
}

export const timeToPx = (t: number, w: TimeWindow, widthPx: number): number =>
  ((t - w.fromNs) / w.durationNs) * widthPx;

export const pxToTime = (px: number, w: TimeWindow, widthPx: number): number =>
  Math.round(w.fromNs + (px / Math.max(widthPx, 1)) * w.durationNs);

export interface Hatch {
  leftPx: number;
  widthPx: number;
  why: string;
}

/** The stretches of a lane where nothing could be seen: not captured, not begun, already ended. */
export function hatchesOf(lane: Lane, w: TimeWindow, widthPx: number): Hatch[] {
  if (!lane.captured) {
    return isVirtual(lane) ? [] : [{ leftPx: 0, widthPx, why: "no capture point: nothing can be seen here" }];
  }
  if (lane.first === null || lane.last === null || lane.role === "kernel") return [];
  const begin = Math.min(Math.max(timeToPx(lane.first, w, widthPx), 0), widthPx);
  const end = Math.min(Math.max(timeToPx(lane.last, w, widthPx), 0), widthPx);
  const hatches = [
    { leftPx: 0, widthPx: begin, why: "before the first packet of this capture" },
    { leftPx: end, widthPx: widthPx - end, why: "after the last packet of this capture" },
  ];
  return hatches.filter((hatch) => hatch.widthPx >= 1);
}

/** A lane that is a place between captures, or a kernel's record, and so has nothing to capture. */
const isVirtual = (lane: Lane): boolean => lane.role === "nat" || lane.role === "kernel";

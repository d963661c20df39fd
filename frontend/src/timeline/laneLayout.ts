/** Where each lane stands: pure geometry shared by the canvas and by the HTML around it. */

import type { TimelineLane as Lane, TimelineMark as Mark } from "../api/types";
import { plural } from "../format/quantity";
import type { TimeAxis } from "./timeAxis";

export const RULER_HEIGHT = 26;
/** Of the row of bars of one finding, and the air above and below all of them. */
export const FINDING_ROW_PX = 26;
const FINDINGS_AIR_PX = 18;
/** Findings with a row of their own; the others are counted. */
export const MOST_FINDING_ROWS = 4;
const MORE_FINDINGS_PX = 16;

/** Height of the bars of so many findings. */
function findingsHeight(findings: number): number {
  const rows = Math.min(Math.max(findings, 1), MOST_FINDING_ROWS);
  return FINDINGS_AIR_PX + rows * FINDING_ROW_PX + (findings > MOST_FINDING_ROWS ? MORE_FINDINGS_PX : 0);
}

export const LANE_HEIGHT = 58;
/** Above the marks of a lane with retransmissions: their arcs, and words over them. */
const ARC_BAND_PX = 26;
const ARC_IN_BAND_PX = 20;
/** The same in a lane without a band. */
const ARC_RISE_PX = 22;
/** A lane nobody captured holds no marks and needs less room. */
const UNCAPTURED_HEIGHT = 36;
export const OVERVIEW_HEIGHT = 56;
const OVERVIEW_GAP = 18;
/** The same with the line that says how many lanes are collapsed. */
export const COLLAPSED_GAP = 30;
/** More lanes than this are collapsed into one line under them. */
export const MAX_LANES = 12;
/** With more lanes than this, captured ones without findings are collapsed, too. */
const FEW_LANES = 6;

export interface LaneRow {
  lane: Lane;
  top: number;
  height: number;
  /** Where marks sit. */
  middle: number;
  /** Where density stands on. */
  floor: number;
  /** Height at which arcs between retransmissions run. */
  arcY: number;
}

export interface ChartGeometry {
  widthPx: number;
  findingsHeight: number;
  rows: LaneRow[];
  /** Lanes without a part in the findings, and those there was no room for. */
  collapsed: Lane[];
  /** Whether all are shown, and some could be collapsed. */
  collapsible: boolean;
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

/** "+7 lanes, 0 findings, 2 not captured": what is not shown, `left` with what the server kept to itself; empty if all is. */
export function collapsedWords({ collapsed }: ChartGeometry, left: { lanes: number; findings: number }): string {
  const lanes = collapsed.length + left.lanes;
  const blind = collapsed.filter((lane) => !lane.captured && lane.role !== "nat").length;
  const findings = new Set(collapsed.flatMap((lane) => lane.findings)).size + left.findings;
  return lanes === 0 ? "" : `+${plural(lanes, "lane")}, ${plural(findings, "finding")}${blind > 0 ? `, ${blind} not captured` : ""}`;
}

interface LanesWanted {
  /** Ids; empty wants all. */
  chosen?: readonly string[];
  /** Ids of lanes that are never collapsed for having no findings. */
  pinned?: readonly string[];
  /** How many findings have bars above the lanes. */
  findings?: number;
  /** Whether collapsed lanes are shown, and whether there are more than are given. */
  all?: boolean;
  left?: boolean;
  /** Ids of the lanes with retransmissions: these have a band for arcs. */
  arcs?: ReadonlySet<string>;
}

const NO_ARCS: ReadonlySet<string> = new Set();

/** Where retransmissions are drawn: in the first lane of each chain. */
export const lanesWithArcs = (marks: readonly Mark[]): ReadonlySet<string> =>
  new Set(marks.flatMap((mark) => (mark.glyph === "ladder" ? mark.lanes.slice(0, 1) : [])));

/** Lanes that hold findings, or at least packets where lanes are few: the others say only that nothing was captured there. */
function takingPart(lanes: readonly Lane[], pinned: readonly string[]): Lane[] {
  const found = (lane: Lane): boolean => lane.findings.length > 0 || pinned.includes(lane.id);
  const filled = lanes.filter((lane) => found(lane) || lane.packets_total > 0);
  if (filled.length <= FEW_LANES || !lanes.some((lane) => lane.findings.length > 0)) return filled.length > 0 ? filled : [...lanes];
  return filled.filter(found);
}

export function layoutLanes(
  lanes: readonly Lane[], widthPx: number, { chosen = [], pinned = [], all = false, left = false, findings = 1, arcs = NO_ARCS }: LanesWanted = {},
): ChartGeometry {
  const known = lanes.filter((lane) => chosen.includes(lane.id));
  const wanted = known.length > 0 ? known : lanes;
  const first = (known.length > 0 ? known : takingPart(lanes, pinned)).slice(0, MAX_LANES);
  const shown = all ? wanted : first;
  const collapsed = wanted.filter((lane) => !shown.includes(lane));
  const above = findingsHeight(findings);
  let top = above;
  const rows = shown.map((lane) => {
    const band = arcs.has(lane.id) ? ARC_BAND_PX : 0;
    const own = lane.captured || isVirtual(lane) || lane.packets_total > 0 ? LANE_HEIGHT : UNCAPTURED_HEIGHT;
    const middle = top + band + own / 2;
    const height = band + own;
    const row = { lane, top, height, middle, floor: top + height - 3, arcY: band > 0 ? top + ARC_IN_BAND_PX : middle - ARC_RISE_PX };
    top += height;
    return row;
  });
  const lanesBottom = top;
  const collapsible = all && first.length < wanted.length;
  const overviewTop = lanesBottom + (collapsed.length > 0 || left || collapsible ? COLLAPSED_GAP : OVERVIEW_GAP);
  return {
    widthPx,
    findingsHeight: above,
    rows,
    collapsed,
    collapsible,
    lanesBottom,
    overviewTop,
    overviewFloor: overviewTop + OVERVIEW_HEIGHT - 3,
    height: overviewTop + OVERVIEW_HEIGHT,
  };
}

export interface Hatch {
  leftPx: number;
  widthPx: number;
  why: string;
}

/** The stretches of a lane where nothing could be seen: not captured, not begun, already ended. */
export function hatchesOf(lane: Lane, { x, widthPx }: TimeAxis): Hatch[] {
  if (!lane.captured) {
    // A pod whose packets were seen elsewhere: its header says what the hatching means.
    const why = lane.packets_total > 0 ? "" : "no vantage point: nothing was captured here";
    return isVirtual(lane) ? [] : [{ leftPx: 0, widthPx, why }];
  }
  if (lane.first === null || lane.last === null || lane.role === "kernel") return [];
  const begin = Math.min(Math.max(x(lane.first), 0), widthPx);
  const end = Math.min(Math.max(x(lane.last), 0), widthPx);
  const hatches = [
    { leftPx: 0, widthPx: begin, why: "before the first packet of this capture" },
    { leftPx: end, widthPx: widthPx - end, why: "after the last packet of this capture" },
  ];
  return hatches.filter((hatch) => hatch.widthPx >= 1);
}

/** A lane that is a place between captures, or a kernel's record, and so has nothing to capture. */
const isVirtual = (lane: Lane): boolean => lane.role === "nat" || lane.role === "kernel";

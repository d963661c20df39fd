/** Which marks get their words beside them, so that no two texts touch. */
import type { TimelineMark as Mark } from "../api/types";
import type { ChartGeometry } from "./laneLayout";
import { guideRange, stairOf } from "./shapes";
import { liftOf } from "./stacking";
import { markEnd, slotOf } from "./marks";
import { HALF_PX, linesOf, obstaclesOf, overlap, type Box } from "./obstacles";
import { foldsInView, type TimeAxis } from "./timeAxis";

export interface Label {
  mark: Mark;
  text: string;
  x: number;
  y: number;
  align: "left" | "right" | "center";
  bold: boolean;
  /** Height of the mark, where the text stands above or below it: a line leads to it from there. */
  leaderFrom: number | null;
}

const CHARACTER_PX = 6.4;
const GAP_PX = 8;
const LONGEST = 70;
/** From an arc to the middle of the text over it. */
const ABOVE_ARC_PX = 10;
/** Beyond this many marks in view only those of the selection are named. */
const NAMED_WITHOUT_SELECTION = 30;
/** Steps that are named whatever else is in view. */
const NAMED_STEPS = 8;
/** Notes that are, for the same reason: a flag alone says nothing. */
const NAMED_NOTES = 8;

export function placeLabels(
  marks: readonly Mark[], isSelected: (mark: Mark) => boolean, geometry: ChartGeometry, axis: TimeAxis,
): Label[] {
  const some = marks.length <= NAMED_WITHOUT_SELECTION && !marks.some(isSelected);
  // Without its words a staircase does not say what it counts.
  const steps = marks.filter((mark) => mark.glyph === "step").length <= NAMED_STEPS;
  const notes = marks.filter((mark) => mark.glyph === "note").length <= NAMED_NOTES;
  const spoken = (mark: Mark): boolean => (steps && mark.glyph === "step") || (notes && mark.glyph === "note");
  const wanted = marks.filter((mark) => mark.label !== "" && mark.glyph !== "comb" && (isSelected(mark) || some || spoken(mark)));
  const ordered = [...wanted].sort((a, b) => urgency(b, isSelected) - urgency(a, isSelected));
  const taken: Box[] = obstaclesOf(marks, isSelected, geometry, axis);
  // A plate hides the part of a line that it must stand on; that of no line is better.
  const lines = linesOf(marks, isSelected, geometry, axis);
  const labels: Label[] = [];
  for (const mark of ordered) {
    const fitting = candidates(mark, marks, geometry, axis).filter((label) => fits(boxOf(label), taken, geometry.widthPx));
    const clear = fitting.filter((label) => !lines.some((line) => overlap(boxOf(label), line)));
    const free = [...clear, ...fitting].find((label) => !crossesFold(boxOf(label), axis)) ?? clear[0] ?? fitting[0];
    if (free === undefined) continue;
    taken.push(boxOf(free));
    labels.push(free);
  }
  return labels;
}

const GLYPH_URGENCY: Partial<Record<Mark["glyph"], number>> = { missing: 6, pair: 5, ladder: 4, path: 3, step: 2, guide: 1 };

const urgency = (mark: Mark, isSelected: (mark: Mark) => boolean): number =>
  (isSelected(mark) ? 10 : 0) + (GLYPH_URGENCY[mark.glyph] ?? 0);

const glyphX = (mark: Mark, axis: TimeAxis): number =>
  axis.x(mark.glyph === "step" ? markEnd(mark) : mark.t);

function candidates(mark: Mark, marks: readonly Mark[], geometry: ChartGeometry, axis: TimeAxis): Label[] {
  const text = mark.label.length > LONGEST ? `${mark.label.slice(0, LONGEST - 1)}…` : mark.label;
  const base = { mark, text, bold: mark.glyph === "ladder" || mark.glyph === "pair", leaderFrom: null };
  if (mark.glyph === "guide") return footLabels(base, axis.x(guideRange(mark).at), geometry);
  if (mark.glyph === "note") return footLabels(base, axis.x(mark.t), geometry);
  const rows = geometry.rows.filter((row) => mark.lanes.includes(row.lane.id));
  const row = mark.glyph === "path" ? rows[Math.floor(rows.length / 2)] : rows[0];
  if (row === undefined) return [];
  const from = glyphX(mark, axis);
  const middle = row.middle - liftOf(mark, marks, axis);
  if (mark.glyph === "ladder") {
    const to = axis.x(mark.t_end ?? mark.t);
    const [left, right] = [Math.max(from, 0), Math.min(to, geometry.widthPx)];
    const over = [(left + right) / 2, left + (right - left) / 4, left + (3 * (right - left)) / 4].map((x): Label => ({ ...base, x, y: row.arcY - ABOVE_ARC_PX, align: "center" }));
    return [...over, { ...base, x: (left + right) / 2, y: row.arcY + ABOVE_ARC_PX, align: "center" }];
  }
  if (mark.glyph === "step" && mark.t_end !== null) {
    const { high, low } = stairOf(row, slotOf(mark, marks));
    return [{ ...base, x: from - 8, y: (high + low) / 2, align: "right" }, { ...base, x: from + 12, y: (high + low) / 2, align: "left" }];
  }
  return [0, -16, 16, -24, 24].flatMap((dy): Label[] => {
    const leaderFrom = dy === 0 ? null : middle;
    return [
      { ...base, x: from + 13, y: middle + dy, align: "left", leaderFrom },
      { ...base, x: from - 11, y: middle + dy, align: "right", leaderFrom },
    ];
  });
}

/** Beside a line over all lanes, at its foot. */
function footLabels(base: Omit<Label, "x" | "y" | "align">, middle: number, geometry: ChartGeometry): Label[] {
  const y = geometry.lanesBottom - 9;
  return [
    { ...base, x: middle - 6, y, align: "right" },
    { ...base, x: middle + 6, y, align: "left" },
  ];
}

export function boxOf(label: Label): Box {
  const width = label.text.length * CHARACTER_PX * (label.bold ? 1.08 : 1);
  const left = label.align === "left" ? label.x : label.align === "right" ? label.x - width : label.x - width / 2;
  return { left, right: left + width, top: label.y - HALF_PX, bottom: label.y + HALF_PX };
}

const crossesFold = (box: Box, axis: TimeAxis): boolean =>
  foldsInView(axis).some((fold) => box.right > axis.x(fold.from) && box.left < axis.x(fold.to));

const fits = (box: Box, taken: readonly Box[], widthPx: number): boolean =>
  box.left >= 0 && box.right <= widthPx && !taken.some((other) => overlap(box, other, GAP_PX / 2));

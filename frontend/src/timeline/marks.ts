/** What can be said about marks without drawing them: order, words, findings' instances. */

import { stretch } from "../format/offset";
import type { Glyph, TimelineLane as Lane, TimelineMark as Mark } from "../api/types";
import type { Selection } from "./urlState";
import type { TimeWindow } from "./timeWindow";
import { windowEnd } from "./timeWindow";

const GLYPH_SIGNS: Record<Glyph, string> = {
  instant: "●",
  repeat: "○",
  missing: "✖",
  ladder: "⌒",
  path: "│",
  pair: "◆",
  band: "▨",
  comb: "⋔",
  bracket: "⊓",
  step: "▲",
  guide: "┆",
  note: "⚑",
};
const GLYPH_WORDS: Record<Glyph, string> = {
  instant: "seen",
  repeat: "seen again",
  missing: "missing",
  ladder: "retransmissions",
  path: "path",
  pair: "collision",
  band: "interval",
  comb: "series",
  bracket: "duration",
  step: "counter rose",
  guide: "expected time",
  note: "note",
};
export const glyphSign = (glyph: Glyph): string => GLYPH_SIGNS[glyph];
export const glyphWord = (glyph: Glyph): string => GLYPH_WORDS[glyph];

export const markEnd = (mark: Mark): number => mark.t_end ?? mark.t;

export const inWindow = (mark: Mark, w: TimeWindow): boolean => markEnd(mark) >= w.fromNs && mark.t <= windowEnd(w);

/** Guides belong to one question only: those of the selected finding (and instance) are drawn. */
export function shownMarks(marks: readonly Mark[], selection: Selection | null, guides: boolean): Mark[] {
  return marks.filter((mark) => mark.glyph !== "guide" || (guides && guideIsSelected(mark, selection)));
}

/** Guides of one finding a chart can carry. */
const MAX_GUIDES = 8;

/** Guides of many instances at once would cover everything: one instance must be chosen. */
function guideIsSelected(mark: Mark, selection: Selection | null): boolean {
  if (selection === null || mark.finding !== selection.finding) return false;
  return mark.instance === null || mark.instance === selection.instance;
}

/** The marks a window shows, in order of time: what the chart draws and what the table twin lists. */
export function visibleMarks(
  marks: readonly Mark[],
  w: TimeWindow,
  selection: Selection | null,
  guides: boolean,
): Mark[] {
  const shown = shownMarks(marks, selection, guides).filter((mark) => inWindow(mark, w));
  let left = MAX_GUIDES;
  return shown
    .filter((mark) => mark.glyph !== "guide" || left-- > 0)
    .sort((a, b) => a.t - b.t || a.id.localeCompare(b.id));
}

export function matchesFilter(mark: Mark, lanes: readonly Lane[], filter: string): boolean {
  if (filter === "") return true;
  const names = lanes.filter((lane) => mark.lanes.includes(lane.id)).map((lane) => lane.name);
  return [mark.label, mark.finding, ...names].join(" ").toLowerCase().includes(filter.toLowerCase());
}

/** Asked for each mark at every step of a zoom: a text that is put together once. */
const groups = new WeakMap<Mark, string>();

function groupOf(mark: Mark): string {
  const known = groups.get(mark);
  if (known !== undefined) return known;
  const group = `${mark.finding}~${mark.instance ?? ""}`;
  groups.set(mark, group);
  return group;
}

/**
 * The instances a selection lights up: those selected, and those of other findings that rest on one of
 * the same frames or dump lines, because they tell another side of the same event.
 */
export function chosenGroups(marks: readonly Mark[], selection: Selection | null): ReadonlySet<string> {
  const chosen = new Set<string>();
  if (selection === null) return chosen;
  const proofs = new Set<string>();
  for (const mark of marks) {
    const own =
      mark.finding === selection.finding &&
      (selection.instance === null || mark.instance === null || mark.instance === selection.instance);
    if (!own) continue;
    chosen.add(groupOf(mark));
    for (const proof of proofsOf(mark)) proofs.add(proof);
  }
  for (const mark of marks) {
    if (mark.finding !== selection.finding && proofsOf(mark).some((proof) => proofs.has(proof))) chosen.add(groupOf(mark));
  }
  return chosen;
}

const proofsOf = (mark: Mark): string[] =>
  mark.evidence.flatMap((part) => [
    ...part.frames.map((frame) => `${part.input}#f${frame}`),
    ...part.lines.map((line) => `${part.input}#l${line}`),
  ]);

export const isChosen = (mark: Mark, chosen: ReadonlySet<string>): boolean => chosen.size > 0 && chosen.has(groupOf(mark));

export interface Instance {
  finding: string;
  instance: number;
  from: number;
  to: number;
  role: Mark["role"];
}

/** From and to of every instance of every finding, taken from its marks; guides do not count. */
export function instancesOf(marks: readonly Mark[]): Instance[] {
  const found = new Map<string, Instance>();
  for (const mark of marks) {
    if (mark.instance === null || mark.glyph === "guide") continue;
    const key = `${mark.finding}~${mark.instance}`;
    const known = found.get(key);
    if (known === undefined) {
      found.set(key, {
        finding: mark.finding,
        instance: mark.instance,
        from: mark.t,
        to: markEnd(mark),
        role: mark.role,
      });
      continue;
    }
    known.from = Math.min(known.from, mark.t);
    known.to = Math.max(known.to, markEnd(mark));
    if (mark.role !== "neutral" && (known.role === "neutral" || mark.glyph === "missing")) known.role = mark.role;
  }
  return [...found.values()].sort((a, b) => a.from - b.from || a.instance - b.instance);
}

/** The mark after (`step` 1) or before (`step` -1) another, in order of time. */
export function neighbour(marks: readonly Mark[], currentId: string | null, step: 1 | -1): Mark | null {
  if (marks.length === 0) return null;
  const at = marks.findIndex((mark) => mark.id === currentId);
  if (at < 0) return (step === 1 ? marks[0] : marks.at(-1)) ?? null;
  return marks[Math.min(Math.max(at + step, 0), marks.length - 1)] ?? null;
}

/** The counter of a step: the first word of its label. */
const counterOf = (mark: Mark): string => mark.label.split(" ", 1)[0] ?? "";

/** Which of the counters that rise in the same lanes this one is, in order of their names. */
export function slotOf(mark: Mark, marks: readonly Mark[]): { index: number; of: number } {
  if (mark.glyph !== "step") return { index: 0, of: 1 };
  const lanes = mark.lanes.join();
  const beside = marks.filter((other) => other.glyph === "step" && other.lanes.join() === lanes);
  const counters = [...new Set(beside.map(counterOf))].sort();
  return { index: Math.max(counters.indexOf(counterOf(mark)), 0), of: Math.max(counters.length, 1) };
}

export const laneNames = (mark: Mark, lanes: readonly Lane[]): string =>
  mark.lanes.map((id) => lanes.find((lane) => lane.id === id)?.name ?? id).join(", ");

/** One sentence for the live region and the tooltip. */
export function describeMark(
  mark: Mark,
  lanes: readonly Lane[],
  letters: ReadonlyMap<string, string>,
  counts: ReadonlyMap<string, number>,
  read: (t: number) => string,
): string {
  const parts = [mark.label === "" ? glyphWord(mark.glyph) : mark.label, laneNames(mark, lanes), read(mark.t)];
  if (mark.t_end !== null && mark.t_end > mark.t) parts.push(`lasts ${stretch(mark.t_end - mark.t)}`);
  if (mark.basis === "inferred") parts.push("inferred");
  if ((mark.count ?? 1) > 1) parts.push(`${mark.count} marks grouped`);
  if (mark.finding !== "") {
    const total = counts.get(mark.finding);
    const instance =
      mark.instance === null ? "" : `, instance ${mark.instance}${total === undefined ? "" : ` of ${total}`}`;
    parts.push(`finding ${letters.get(mark.finding) ?? mark.finding}${instance}`);
  }
  return parts.filter((part) => part !== "").join(", ");
}

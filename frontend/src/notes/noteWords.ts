/** What notes say about themselves, and which of them belongs to what. */
import type { Note, NoteOptions } from "../api/notes";
import type { Diagnosis, TimelineMark } from "../api/types";
import { offset, stretch } from "../format/offset";
import { dateWords } from "../format/zone";

export const authorOf = (note: Note): string => note.author || "somebody";

/** Who and when: `ann, 2026-11-22 00:13`. */
export const signature = (note: Note): string => `${authorOf(note)}, ${dateWords(note.created, 5)}`;

/** Who does not agree with this diagnosis, and not with another of the same cause: the oldest first. */
export function disagreementsWith(diagnosis: Diagnosis, notes: readonly Note[]): Note[] {
  return notes.filter((note) => note.kind === "disagreement" && note.cause === diagnosis.cause
    && (diagnosis.id ? note.diagnosis === diagnosis.id : note.finding === "" || diagnosis.findings.includes(note.finding)));
}

const MARK_PREFIX = "note:";

/** Notes at a time as marks, which the chart, its table and the keys treat like others. */
export function marksOfNotes(notes: readonly Note[]): TimelineMark[] {
  return notes.flatMap((note): TimelineMark[] =>
    note.from === null ? [] : [{
      id: MARK_PREFIX + note.id, glyph: "note", role: "neutral", basis: "seen", t: note.from, t_end: note.to,
      lanes: note.lane === "" ? [] : [note.lane], label: `${authorOf(note)}: ${note.text.replaceAll(/\s+/g, " ")}`,
      finding: note.finding, instance: null, evidence: [], count: null, value: null,
    }]);
}

/** "At +1.025 s.", or "From +1.025 s for 3 ms." */
export function wordsOfTime(options: Omit<NoteOptions, "text">): string {
  if (options.from === null || options.from === undefined) return "";
  const length = (options.to ?? options.from) - options.from;
  return length > 0 ? `From ${offset(options.from)} for ${stretch(length)}.` : `At ${offset(options.from)}.`;
}

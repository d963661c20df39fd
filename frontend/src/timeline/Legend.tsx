/** What the signs in view mean: made from the marks themselves. */
import type { TimelineMark } from "../api/types";
import { count } from "../format/quantity";
import { RoleGlyph, roleWord } from "../ui/Glyph";
import { fullestColumn, isCounted, type Crowd } from "./levels";
import { glyphSign, glyphWord } from "./marks";

interface Entry {
  glyph: TimelineMark["glyph"];
  role: TimelineMark["role"];
  inferred: boolean;
  marks: number;
}

const MOST_ENTRIES = 12;
const roleWords = (role: TimelineMark["role"]): string => (role === "neutral" ? "other events" : roleWord(role).toLowerCase());

/** Signs in view, the commonest first; those that are only counted have none. */
export function legendEntries(marks: readonly TimelineMark[], crowds: ReadonlyMap<string, Crowd>): Entry[] {
  const found = new Map<string, Entry>();
  for (const mark of marks.filter((one) => !isCounted(one, crowds))) {
    const inferred = mark.basis === "inferred";
    const key = `${mark.glyph} ${mark.role} ${inferred}`;
    const entry = found.get(key) ?? { glyph: mark.glyph, role: mark.role, inferred, marks: 0 };
    entry.marks += 1;
    found.set(key, entry);
  }
  return [...found.values()].sort((a, b) => b.marks - a.marks).slice(0, MOST_ENTRIES);
}

/** The legend in words, for a picture. */
export function legendWords(marks: readonly TimelineMark[], crowds: ReadonlyMap<string, Crowd>): string[] {
  const roles = [...new Set([...crowds.values()].map((crowd) => crowd.role))];
  return [...roles.map((role) => `bars: ${roleWords(role)}`), ...legendEntries(marks, crowds).map((entry) => `${glyphSign(entry.glyph)} ${glyphWord(entry.glyph)} ${count(entry.marks)}`)];
}

export function Legend({ marks, crowds }: { marks: readonly TimelineMark[]; crowds: ReadonlyMap<string, Crowd> }) {
  const entries = legendEntries(marks, crowds);
  const roles = [...new Set([...crowds.values()].map((crowd) => crowd.role))];
  if (entries.length === 0 && roles.length === 0) return null;
  return (
    <ul className="timeline-legend" aria-label="Legend" data-testid="legend">
      {roles.map((role) => (
        <li key={role}>
          <RoleGlyph role={role} size={11} /> bars: {roleWords(role)}, at most {count(fullestColumn(new Map([...crowds].filter(([, crowd]) => crowd.role === role))))} marks each
        </li>
      ))}
      {entries.map((entry) => (
        <li key={`${entry.glyph}${entry.role}${entry.inferred}`} data-glyph={entry.glyph}>
          <span className={`role-${entry.role}`} aria-hidden="true">{glyphSign(entry.glyph)}</span> {glyphWord(entry.glyph)}
          {entry.role !== "neutral" && glyphWord(entry.glyph) !== roleWords(entry.role) && `, ${roleWords(entry.role)}`}{entry.inferred && ", inferred"} <span className="dim">{count(entry.marks)}</span>
        </li>
      ))}
    </ul>
  );
}

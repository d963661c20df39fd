/** The marks as rows: the chart's twin for eyes that prefer a table and for readers of the screen. */
import type { TimelineLane, TimelineMark } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { ColumnWords } from "../glossary/Plain";
import { offset, stretch } from "../format/offset";
import { glyphSign, glyphWord, laneNames } from "./marks";

const COLUMNS = ["time (s)", "lasts", "mark", "lane", "what", "basis", "finding", "evidence"];

interface MarksTableProps {
  marks: readonly TimelineMark[];
  lanes: readonly TimelineLane[];
  letters: ReadonlyMap<string, string>;
  selectedMark: string | null;
  onPick: (mark: TimelineMark) => void;
  caption: string;
}

export function MarksTable({ marks, lanes, letters, selectedMark, onPick, caption }: MarksTableProps) {
  return (
    <div className="facts-scroll" tabIndex={0} role="region" aria-label={caption}>
      <ColumnWords columns={COLUMNS.map((name) => ({ name: name.replace(" (s)", "") }))} />
      <table className="facts" data-testid="marks-table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {COLUMNS.map((name) => <th key={name}>{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {marks.map((mark) => (
            <tr key={mark.id} data-mark={mark.id} aria-selected={mark.id === selectedMark} onClick={() => onPick(mark)}>
              <td className="mono">{offset(mark.t)}</td>
              <td className="mono">{mark.t_end !== null && mark.t_end > mark.t ? stretch(mark.t_end - mark.t) : ""}</td>
              <td><span className={`role-${mark.role}`}>{glyphSign(mark.glyph)}</span> {glyphWord(mark.glyph)}{(mark.count ?? 1) > 1 ? ` ×${mark.count}` : ""}</td>
              <td>{laneNames(mark, lanes)}</td>
              <td>{mark.label}</td>
              <td>{mark.glyph === "note" ? "" : mark.basis}</td>
              <td>{letters.get(mark.finding) ?? mark.finding}{mark.instance === null ? "" : ` · ${mark.instance}`}</td>
              <td onClick={(event) => event.stopPropagation()}><EvidenceLinks evidence={mark.evidence} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The marks as rows: the chart's twin for eyes that prefer a table and for readers of the screen. */
import { memo, type MouseEvent, type ReactNode } from "react";

import type { TimelineLane, TimelineMark } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { offset, stretch } from "../format/offset";
import { BigTable, type BigColumn } from "../ui/BigTable";
import { glyphSign, glyphWord, laneNames } from "./marks";

const COLUMNS: BigColumn[] = [
  { name: "time", unit: "s", width: 15 }, { name: "lasts", width: 10 }, { name: "mark", width: 17 }, { name: "lane", width: 18 },
  { name: "what", width: 40 }, { name: "basis", width: 9 }, { name: "finding", width: 10 }, { name: "evidence", width: 28 },
];

interface MarksTableProps {
  marks: readonly TimelineMark[];
  lanes: readonly TimelineLane[];
  letters: ReadonlyMap<string, string>;
  selectedMark: string | null;
  onPick: (mark: TimelineMark) => void;
  label: string;
}

/** Only the rows in view are in the document: a window may show 2,000 marks. */
export const MarksTable = memo(function MarksTable({ marks, lanes, letters, selectedMark, onPick, label }: MarksTableProps) {
  return (
    <BigTable
      label={label} columns={COLUMNS} total={marks.length} height_px={420} testId="marks-table"
      rowProps={(row) => {
        const mark = marks[row];
        return mark === undefined ? {} : { "data-mark": mark.id, "aria-selected": mark.id === selectedMark, onClick: (event) => pick(event, mark, onPick) };
      }}
      cells={(row) => {
        const mark = marks[row];
        return mark === undefined ? null : cellsOf(mark, lanes, letters);
      }}
    />
  );
});

/** A link in the row has its own meaning. */
function pick(event: MouseEvent<HTMLElement>, mark: TimelineMark, onPick: (mark: TimelineMark) => void) {
  if (!(event.target instanceof Element && event.target.closest("a, button"))) onPick(mark);
}

function cellsOf(mark: TimelineMark, lanes: readonly TimelineLane[], letters: ReadonlyMap<string, string>): ReactNode[] {
  return [
    <span key="t" className="mono">{offset(mark.t).replace(" s", "")}</span>,
    <span key="d" className="mono">{mark.t_end !== null && mark.t_end > mark.t ? stretch(mark.t_end - mark.t) : ""}</span>,
    <span key="g"><span className={`role-${mark.role}`}>{glyphSign(mark.glyph)}</span> {glyphWord(mark.glyph)}{(mark.count ?? 1) > 1 ? ` ×${mark.count}` : ""}</span>,
    <span key="l" title={laneNames(mark, lanes)}>{laneNames(mark, lanes)}</span>,
    <span key="w" title={mark.label}>{mark.label}</span>,
    mark.glyph === "note" ? "" : mark.basis,
    `${letters.get(mark.finding) ?? mark.finding}${mark.instance === null ? "" : ` · ${mark.instance}`}`,
    <EvidenceLinks key="e" evidence={mark.evidence} />,
  ];
}

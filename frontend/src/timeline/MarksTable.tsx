/** The marks as rows: the chart's twin for eyes that prefer a table and for readers of the screen. */
import { memo, useMemo, useRef, type MouseEvent, type ReactNode } from "react";

import type { TimelineLane, TimelineMark } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { useReadTime } from "../format/clock";
import { stretch } from "../format/offset";
import { BigTable, type BigColumn, type RowProps } from "../ui/BigTable";
import { glyphSign, glyphWord, laneNames } from "./marks";
import { PointedRow } from "./PointedRow";
import { pointAt } from "./pointed";
import type { Fold } from "./timeAxis";

const COLUMNS: BigColumn[] = [
  { name: "time", width: 15 }, { name: "lasts", width: 10 }, { name: "mark", width: 17 }, { name: "lane", width: 18 },
  { name: "what", width: 40 }, { name: "basis", width: 9 }, { name: "finding", width: 10 }, { name: "evidence", width: 28 },
];

interface MarksTableProps {
  marks: readonly TimelineMark[];
  lanes: readonly TimelineLane[];
  letters: ReadonlyMap<string, string>;
  selectedMark: string | null;
  onPick: (mark: TimelineMark) => void;
  label: string;
  /** Time that the chart folds: told between the marks, where it lies. */
  folds?: readonly FoldRow[];
}

interface FoldRow extends Fold {
  words: string;
}

type Row = { mark: TimelineMark } | { fold: FoldRow };
const NO_FOLDS: readonly FoldRow[] = [];

/** Only the rows in view are in the document: a window may show 2,000 marks. */
export const MarksTable = memo(function MarksTable({ marks, lanes, letters, selectedMark, onPick, label, folds = NO_FOLDS }: MarksTableProps) {
  const frame = useRef<HTMLDivElement>(null);
  const read = useReadTime();
  const rows = useMemo(() => withFolds(marks, folds), [marks, folds]);
  return (
    <div ref={frame}>
      <PointedRow table={frame} />
      <BigTable
        label={label} columns={COLUMNS} total={rows.length} height_px={420} testId="marks-table"
        rowProps={(number) => propsOf(rows[number], selectedMark, onPick)}
        cells={(number) => {
          const row = rows[number];
          if (row === undefined) return null;
          return "mark" in row ? cellsOf(row.mark, lanes, letters, read) : foldCells(row.fold, read);
        }}
      />
    </div>
  );
});

function withFolds(marks: readonly TimelineMark[], folds: readonly FoldRow[]): Row[] {
  const rows: Row[] = [...marks.map((mark) => ({ mark })), ...folds.map((fold) => ({ fold }))];
  const time = (row: Row): number => ("mark" in row ? row.mark.t : row.fold.from);
  return folds.length === 0 ? rows : rows.sort((a, b) => time(a) - time(b));
}

function propsOf(row: Row | undefined, selectedMark: string | null, onPick: (mark: TimelineMark) => void): RowProps {
  if (row === undefined) return {};
  if ("fold" in row) return { "data-fold": row.fold.from };
  const { mark } = row;
  return {
    "data-mark": mark.id, "aria-selected": mark.id === selectedMark, onClick: (event) => pick(event, mark, onPick),
    onPointerEnter: () => pointAt({ mark: mark.id, t: mark.t }), onPointerLeave: () => pointAt(),
  };
}

type Read = (t: number) => string;

const foldCells = (fold: FoldRow, read: Read): ReactNode[] => [
  <span key="t" className="mono dim">{read(fold.from)}</span>, <span key="d" className="mono dim">{stretch(fold.to - fold.from)}</span>,
  <span key="g" className="dim">folded</span>, "", <span key="w" className="dim" title={fold.words}>{fold.words}</span>, "", "", "",
];

/** A link in the row has its own meaning. */
function pick(event: MouseEvent<HTMLElement>, mark: TimelineMark, onPick: (mark: TimelineMark) => void) {
  if (!(event.target instanceof Element && event.target.closest("a, button"))) onPick(mark);
}

function cellsOf(mark: TimelineMark, lanes: readonly TimelineLane[], letters: ReadonlyMap<string, string>, read: Read): ReactNode[] {
  return [
    <span key="t" className="mono">{read(mark.t)}</span>,
    <span key="d" className="mono">{mark.t_end !== null && mark.t_end > mark.t ? stretch(mark.t_end - mark.t) : ""}</span>,
    <span key="g"><span className={`role-${mark.role}`}>{glyphSign(mark.glyph)}</span> {glyphWord(mark.glyph)}{(mark.count ?? 1) > 1 ? ` ×${mark.count}` : ""}</span>,
    <span key="l" title={laneNames(mark, lanes)}>{laneNames(mark, lanes)}</span>,
    <span key="w" title={mark.label}>{mark.label}</span>,
    mark.glyph === "note" ? "" : mark.basis,
    `${letters.get(mark.finding) ?? mark.finding}${mark.instance === null ? "" : ` · ${mark.instance}`}`,
    <EvidenceLinks key="e" evidence={mark.evidence} shown={2} fixed />,
  ];
}

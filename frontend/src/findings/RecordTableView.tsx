/** A table of a finding, whatever it holds; frames are links into the side panel. */
import type { ReactNode } from "react";

import { count } from "../format/quantity";
import { BigTable } from "../ui/BigTable";
import { EvidenceLink } from "./EvidenceLinks";
import { cellWords, framesOf, type RecordTable } from "./recordTable";

const FRAMES_SHOWN = 6;

export function RecordTableView({ table, height_px = 380 }: { table: RecordTable; height_px?: number }) {
  const left = table.rowsTotal - table.rows.length;
  return (
    <>
      <BigTable
        label={table.name} columns={table.columns} total={table.rows.length} height_px={height_px}
        cells={(row) => table.columns.map((_, column) => cell(table, row, column))}
      />
      {left > 0 && <p className="dim">The first {count(table.rows.length)} of {count(table.rowsTotal)}.</p>}
    </>
  );
}

function cell(table: RecordTable, row: number, column: number): ReactNode {
  const kind = table.columns[column]?.kind ?? "text";
  const value = table.rows[row]?.[column];
  const input = table.rows[row]?.[table.inputColumn];
  const frames = typeof input === "string" ? framesOf(value, kind) : [];
  if (!frames.length || typeof input !== "string") {
    const words = cellWords(value, kind);
    return <span className={kind === "time" ? "mono" : undefined} title={words}>{words}</span>;
  }
  return (
    <>
      {frames.slice(0, FRAMES_SHOWN).map((frame) => (
        <EvidenceLink key={frame} target={{ input, kind: "frame", first: frame, last: frame }}>#{frame}</EvidenceLink>
      ))}
      {frames.length > FRAMES_SHOWN && ` +${frames.length - FRAMES_SHOWN}`}
    </>
  );
}

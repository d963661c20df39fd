/** A table or a list of a finding, whatever it holds, page by page; frames are links into the side panel. */
import { useMemo, type ReactNode } from "react";

import { usePagedRows } from "../api/pagedRows";
import { findingRowsPath } from "../api/queries";
import type { ReportTable } from "../api/types";
import { count, plural } from "../format/quantity";
import { BigTable } from "../ui/BigTable";
import { Region } from "../ui/Region";
import { EvidenceLink } from "./EvidenceLinks";
import { cellWords, framesOf, tableOfRecords, tableOfReport, valuesOf, type Row, type RecordTable } from "./recordTable";

const FRAMES_SHOWN = 6;
const HIGHEST_PX = 380;

interface FindingRowsProps {
  finding: string;
  /** As the server calls it: the place of a table, or the name of a list. */
  part: string;
  name: string;
  /** Its columns, where it is a table. */
  table?: ReportTable;
}

export function FindingRows({ finding, part, name, table }: FindingRowsProps) {
  const pages = usePagedRows<Row>(findingRowsPath(finding), { part });
  const first = pages.first.data;
  // Columns and their widths are those of the first page.
  const known = useMemo(() => {
    if (first === undefined) return null;
    return table ? tableOfReport({ ...table, rows: first.items as unknown[][] }) : tableOfRecords(name, first.items as Record<string, unknown>[], first.total);
  }, [first, name, table]);
  return (
    <Region label={name} query={pages.first}>
      {({ total }) => known && total > 0 && (
        <section className="finding-table" aria-label={name} data-testid="finding-table" data-name={name} data-total={known.rowsTotal}>
          <h2>{name.charAt(0).toUpperCase() + name.slice(1)} <span className="dim">{plural(known.rowsTotal, "row")}</span></h2>
          <BigTable
            label={name} columns={known.columns} total={total} height_px={HIGHEST_PX} onVisible={pages.onVisible}
            cells={(row) => {
              const given = pages.rowAt(row);
              if (given === undefined) return null;
              const values = valuesOf(known, given);
              return known.columns.map((_, column) => cell(known, values, column));
            }}
          />
          {known.rowsTotal > total && <p className="dim">The first {count(total)} of {count(known.rowsTotal)}.</p>}
        </section>
      )}
    </Region>
  );
}

function cell(table: RecordTable, values: readonly unknown[], column: number): ReactNode {
  const kind = table.columns[column]?.kind ?? "text";
  const value = values[column];
  const input = values[table.inputColumn];
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

/** One dump as tables, the line of the text beside each row. */
import { useEffect, useState } from "react";

import { usePagedRows } from "../api/pagedRows";
import type { DumpColumn, DumpRow, DumpTableHead, DumpTablePage, KernelDump } from "../api/types";
import { EvidenceLink } from "../findings/EvidenceLinks";
import { count, plural } from "../format/quantity";
import { BigTable, type BigColumn } from "../ui/BigTable";
import { Region } from "../ui/Region";
import { NoDumpRows } from "./NoDumpRows";
import { RouteLink, useAddress, useHrefWith, useSetParameters } from "../ui/RouteLink";

export function DumpView({ dump }: { dump: KernelDump }) {
  const { parameters } = useAddress();
  const hrefWith = useHrefWith();
  const table = dump.tables.find((each) => each.name === parameters.table) ?? dump.tables[0];
  return (
    <div className="dump-view" data-testid="dump-view" data-input={dump.input} data-number={dump.number}>
      <About dump={dump} />
      {dump.tables.length > 1 && (
        <nav className="kernel-tabs" aria-label="Tables of this dump">
          {dump.tables.map((each) => (
            <RouteLink key={each.name} href={hrefWith({ table: each.name, rows: null })} aria-current={each === table ? "page" : undefined}>
              {each.name} <span className="dim">{count(each.rows_total)}</span>
            </RouteLink>
          ))}
        </nav>
      )}
      {table ? <Table key={`${dump.input}~${dump.number}~${table.name}`} dump={dump} table={table} /> : <p className="dim">It is empty.</p>}
    </div>
  );
}

function About({ dump }: { dump: KernelDump }) {
  const basis: Record<string, string> = { text: "stated in the text", given: "given with the upload", counters: "by its counters" };
  return (
    <>
      <p>
        <strong>{dump.kind}</strong>{" "}
        <span className="dim">
          {[
            dump.captured_at ? `taken ${dump.captured_at.slice(0, 23).replace("T", " ")} UTC (${basis[dump.captured_at_basis] ?? "unknown source"})` : "capture time unknown",
            dump.host, plural(dump.lines, "line"),
          ].filter(Boolean).join(" · ")}
        </span>
      </p>
      {dump.warnings.map((warning) => <p key={warning} className="kernel-caution">! {warning}</p>)}
      {dump.lines_not_understood > 0 && (
        <p className="kernel-caution" data-testid="not-understood">
          ! {plural(dump.lines_not_understood, "line")} not understood:{" "}
          {dump.not_understood_at.slice(0, 12).map((line) => (
            <EvidenceLink key={line} target={{ input: dump.input, kind: "line", first: line, last: line }}>{line}</EvidenceLink>
          ))}
          {dump.lines_not_understood > 12 && ` and ${count(dump.lines_not_understood - 12)} more`}
        </p>
      )}
    </>
  );
}

const LINE: BigColumn = { name: "line", width: 7, number: true };
const TEXT: BigColumn = { name: "as in the text", width: 48 };
const WIDEST = 44;

type Cell = DumpRow["cells"][number];

/** Times without their date: it stands above the table. */
function worded(value: Cell, unit = ""): string {
  if (value === null || value === "") return "–";
  if (typeof value === "number") return Number.isInteger(value) ? count(value) : String(value);
  return unit === "UTC" ? String(value).slice(11).replace("Z", "") : String(value);
}

const ALWAYS = "state";

/** Columns that say something in the first rows; the state of a connection is looked for even where it has none. */
export function filledColumns(columns: readonly DumpColumn[], rows: readonly DumpRow[]): number[] {
  const filled = (at: number) => rows.some((row) => row.cells[at] !== null && row.cells[at] !== "");
  return columns.flatMap((column, at) => (column.name === ALWAYS || rows.length === 0 || filled(at) ? [at] : []));
}

/** Wide enough for what the first rows hold. */
function dumpColumns(columns: readonly DumpColumn[], rows: readonly DumpRow[]): BigColumn[] {
  return columns.map((column, at) => {
    const cells = rows.map((row) => row.cells[at] ?? null);
    const given = cells.filter((cell) => cell !== null);
    const head = column.name.length + (column.unit ? column.unit.length + 3 : 0);
    const longest = Math.max(head, ...cells.map((cell) => worded(cell, column.unit).length), 3);
    return { name: column.name, unit: column.unit, number: given.length > 0 && given.every((cell) => typeof cell === "number"), width: Math.min(WIDEST, longest + 1) };
  });
}

function Table({ dump, table }: { dump: KernelDump; table: DumpTableHead }) {
  const { parameters } = useAddress();
  const [all, setAll] = useState(false);
  const path = `/dumps/${encodeURIComponent(dump.input)}/${dump.number}/${encodeURIComponent(table.name)}`;
  const rows = usePagedRows<DumpRow, DumpTablePage>(path, { q: parameters.rows ?? null });
  return (
    <>
      <RowFilter />
      <Region label={`${table.name} of ${dump.input}`} query={rows.first} empty={(found) => (found.total || !parameters.rows ? null : <NoDumpRows path={path} filter={parameters.rows} />)}>
        {(first) => {
          const chosen = all ? first.columns.map((_, at) => at) : filledColumns(first.columns, first.items);
          const every = dumpColumns(first.columns, first.items);
          const own = chosen.flatMap((at) => every[at] ?? []);
          const hidden = first.columns.length - chosen.length;
          return (
            <>
              <p className="dim" data-testid="dump-rows" data-total={first.total}>
                {first.total === table.rows_total ? plural(first.total, "row") : `${count(first.total)} of ${plural(table.rows_total, "row")}`}
                {hidden > 0 && <> · <button type="button" className="link-button" onClick={() => setAll(true)}>Show {plural(hidden, "column")} empty in the first {plural(first.items.length, "row")}</button></>}
              </p>
              <BigTable
                label={`${table.name} of ${dump.input}`} columns={[LINE, ...own, TEXT]} total={first.total} onVisible={rows.onVisible} height_px={520}
                cells={(at) => {
                  const row = rows.rowAt(at);
                  return row ? cellsOf(dump.input, row, first.columns, chosen) : null;
                }}
              />
            </>
          );
        }}
      </Region>
    </>
  );
}

function cellsOf(input: string, row: DumpRow, columns: readonly DumpColumn[], chosen: readonly number[]) {
  return [
    <EvidenceLink key="line" target={{ input, kind: "line", first: row.line, last: row.line }}>{row.line}</EvidenceLink>,
    ...chosen.map((at) => <span key={at} title={worded(row.cells[at] ?? null)}>{worded(row.cells[at] ?? null, columns[at]?.unit)}</span>),
    <code key="text" className="mono" title={row.text}>{row.text}</code>,
  ];
}

function RowFilter() {
  const { parameters } = useAddress();
  const setParameters = useSetParameters();
  const [text, setText] = useState(parameters.rows ?? "");
  useEffect(() => setText(parameters.rows ?? ""), [parameters.rows]);
  const send = () => setParameters({ rows: text.trim() || null }, "replace");
  return (
    <input
      className="input kernel-filter" type="search" aria-label="Filter rows" placeholder="filter rows … (entries: address, port or both)" value={text}
      onChange={(event) => setText(event.target.value)} onBlur={send} onKeyDown={(event) => event.key === "Enter" && send()}
    />
  );
}

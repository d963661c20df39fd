/** `/i/:id/report`: the Overview to print or to send: verdict first, then everything it rests on. */
import { useQuery } from "@tanstack/react-query";

import { ask, Problem } from "../api/http";
import { useNotes } from "../api/notes";
import { PAGE_ROWS, usePagedRows } from "../api/pagedRows";
import { findingRowsPath, useFinding, useReport } from "../api/queries";
import { useSource } from "../api/source";
import type { Diagnosis, Finding, Report, ReportTable } from "../api/types";
import { AccountLine } from "../diagnosis/AccountLine";
import { answersOf, type Answer } from "../diagnosis/answers";
import { CheckedList } from "../diagnosis/CheckedList";
import { DiagnosisCard } from "../diagnosis/DiagnosisCard";
import { FindingsEvidence } from "../diagnosis/FindingsEvidence";
import { NothingFound } from "../diagnosis/NothingFound";
import { QualityStrip } from "../diagnosis/QualityStrip";
import { Targets } from "../diagnosis/Targets";
import { VerdictCard } from "../diagnosis/VerdictCard";
import { byKind } from "../findings/byKind";
import { cellWords, tableOfReport, type RecordTable } from "../findings/recordTable";
import { bytes, count, plural } from "../format/quantity";
import { dateWords } from "../format/zone";
import { useDisagreements } from "../notes/Disagreement";
import { NotesTable } from "../notes/NotesTable";
import { Region } from "../ui/Region";
import { RouteLink } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";
import { ReportTimeline } from "./ReportTimeline";
import { usePrintWithData } from "./usePrintWithData";
import "../diagnosis/diagnosis.css";
import "../findings/finding.css";
import "./report.css";

export function ReportPage() {
  useTitle("Report");
  const report = useReport();
  return (
    <Region label="Report" query={report} empty={(found) => (found ? null : "No report yet: it is available when the analysis is finished.")}>
      {(found) => found && <Body report={found} />}
    </Region>
  );
}

function Body({ report }: { report: Report }) {
  const answers = answersOf(report);
  const [first] = answers;
  const analyzed = { version: report.tool.version, created: report.created };
  return (
    <div className="report" data-testid="report">
      <header className="report-head">
        <div>
          <strong>{report.label}</strong>{" "}
          <span className="dim">analyzed {dateWords(report.created, 8)} · version {report.tool.version} · {plural(report.inputs_total, "file")}</span>
        </div>
        <Downloads label={report.label} />
      </header>
      {first ? <VerdictCard diagnosis={first.diagnosis} group={first.group} findings={report.findings} /> : <WithoutCause report={report} />}
      <div className="report-pair">
        <QualityStrip quality={report.quality} />
        <AccountLine account={report.account} />
      </div>
      <ReportTimeline />
      {answers.map(({ diagnosis, group }, at) => (
        <section key={diagnosis.id || diagnosis.statement} className="card panel" aria-label={diagnosis.title}>
          <header className="panel-head"><h2><Claim diagnosis={diagnosis} group={group} /></h2></header>
          {group && <Targets group={group} open />}
          {diagnosis.verdict === "cannot-tell" && at > 0 ? <Undecided /> : <DiagnosisCard diagnosis={diagnosis} findings={findingsOf(report, diagnosis, group !== null)} analyzed={analyzed} />}
        </section>
      ))}
      <Notes />
      <section className="card panel" aria-label="Detection rules checked">
        <header className="panel-head"><h2>Detection rules checked</h2></header>
        <CheckedList checked={report.checked} />
      </section>
      <Appendix report={report} />
    </div>
  );
}

/** On paper, of one example of many: the appendix has its kind in full. */
function findingsOf(report: Report, diagnosis: Diagnosis, isExample: boolean): Finding[] {
  const own = report.findings.filter((finding) => diagnosis.findings.includes(finding.id));
  return isExample ? own.slice(0, PRINTED_OF_A_KIND) : own;
}

function Undecided() {
  return <p className="dim">The evidence does not decide it.</p>;
}

/** Struck through where somebody rejects it; who and why stands in the diagnosis. */
function Claim({ diagnosis, group }: Answer) {
  const words = group?.statement ?? `${diagnosis.title}: ${diagnosis.statement}`;
  return useDisagreements(diagnosis).length > 0 ? <s>{words}</s> : words;
}

function Notes() {
  const notes = useNotes().data ?? [];
  if (notes.length === 0) return null;
  return (
    <section className="card panel" aria-label="Notes">
      <header className="panel-head"><h2>Notes</h2></header>
      <NotesTable notes={notes} />
    </section>
  );
}

function WithoutCause({ report }: { report: Report }) {
  if (!report.findings.length) return <NothingFound report={report} />;
  return (
    <section className="card verdict-card" aria-label="Verdict">
      <h1 className="claim" data-testid="claim">{plural(report.findings_total, "finding")}, and no known cause that explains them.</h1>
    </section>
  );
}

/** Printing gives the PDF; the text is what the command line writes, too. */
function Downloads({ label }: { label: string }) {
  const source = useSource();
  const print = usePrintWithData();
  const markdown = useQuery({
    queryKey: [source.key, "report-markdown"],
    enabled: false,
    queryFn: async ({ signal }) => {
      const answer = await fetch(`${source.api}/report?format=markdown`, { headers: source.headers, signal });
      if (!answer.ok) throw new Problem(answer.status, answer.statusText, "The report text could not be created.");
      return answer.text();
    },
  });
  async function save(name: string, type: string, text: string) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  }
  async function saveMarkdown() {
    const { data } = await markdown.refetch();
    if (data !== undefined) await save(`${fileName(label)}.md`, "text/markdown", data);
  }
  async function saveJson() {
    const report = await ask<unknown>(`${source.api}/report`, { headers: source.headers });
    await save(`${fileName(label)}.json`, "application/json", JSON.stringify(report, null, 1));
  }
  return (
    <div className="report-actions">
      <button type="button" className="button button-main" disabled={print.waiting} onClick={print.start}>{print.waiting ? "Waiting for data …" : "Print or save as PDF"}</button>
      <button type="button" className="button" onClick={() => void saveMarkdown()}>Markdown</button>
      <button type="button" className="button" onClick={() => void saveJson()}>JSON</button>
      {markdown.error && <p role="alert">{markdown.error.message}</p>}
    </div>
  );
}

/** A title as a name that every file system takes. */
export function fileName(label: string): string {
  const plain = label.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return plain.slice(0, 60) || "report";
}

/** Kinds whose tables are printed, the most telling first; those of other findings are on pages of their own. */
const KINDS_WITH_TABLES = 8;
/** Rows of each table where there are more findings than that. */
const ROWS_OF_MANY = 25;
/** Findings of one kind in full. */
const PRINTED_OF_A_KIND = 2;

function Appendix({ report }: { report: Report }) {
  const kinds = byKind(report.findings);
  const rows = report.findings_total > KINDS_WITH_TABLES ? ROWS_OF_MANY : PAGE_ROWS;
  return (
    <section className="report-appendix" aria-label="Evidence">
      <h2>Evidence</h2>
      {kinds.map(({ kind, findings }, at) => (
        <section key={kind} className="card panel" data-testid="report-kind" data-kind={kind}>
          <FindingsEvidence findings={findings.slice(0, PRINTED_OF_A_KIND)} total={findings.length} />
          {at < KINDS_WITH_TABLES && <FindingTables id={findings[0].id} rows={rows} />}
        </section>
      ))}
      <LeftOut report={report} kinds={kinds.length} />
      <h2>Files</h2>
      <section className="card panel">
        <table className="table">
          <thead><tr><th>File</th><th>Format</th><th className="number">Size</th><th className="number">Packets or lines</th><th>SHA-256</th></tr></thead>
          <tbody>
            {report.inputs.map((input) => (
              <tr key={input.name}>
                <td>{input.name}</td><td>{input.format}</td><td className="number">{bytes(input.bytes)}</td>
                <td className="number">{count(input.packets || input.lines)}</td><td className="mono report-hash">{input.sha256}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

function LeftOut({ report, kinds }: { report: Report; kinds: number }) {
  const { page } = useSource();
  if (report.findings_total <= kinds) return null;
  return (
    <p className="dim">
      Tables are printed of the first finding of each kind; all {plural(report.findings_total, "finding")} are
      under <RouteLink href={`${page}/findings`}>Findings</RouteLink>, and in the JSON file.
    </p>
  );
}

function FindingTables({ id, rows }: { id: string; rows: number }) {
  const finding = useFinding(id);
  return (
    <Region label="Tables of the finding" query={finding}>
      {(found) => found && <>{found.tables.map((table, at) => <TableOfFinding key={table.name} finding={id} part={String(at)} table={table} rows={rows} />)}</>}
    </Region>
  );
}

/** More rows are in the file of the report; paper has its limits. */
function TableOfFinding({ finding, part, table, rows }: { finding: string; part: string; table: ReportTable; rows: number }) {
  const pages = usePagedRows<unknown[]>(findingRowsPath(finding), { part });
  return (
    <Region label={table.name} query={pages.first}>
      {(page) => page.total > 0 && <PlainTable table={tableOfReport({ ...table, rows: page.items.slice(0, rows) })} />}
    </Region>
  );
}

function PlainTable({ table }: { table: RecordTable }) {
  const { rows } = table;
  return (
    <div className="report-table" tabIndex={0}>
      <table className="table" data-testid="report-table">
        <caption>{table.name}</caption>
        <thead>
          <tr>{table.columns.map((column) => <th key={column.name} className={column.number ? "number" : undefined}>{column.name}{column.unit && ` (${column.unit})`}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>{table.columns.map((column, cell) => <Cell key={column.name} words={cellWords(row[cell], column.kind)} number={column.number === true} />)}</tr>
          ))}
        </tbody>
      </table>
      {table.rowsTotal > rows.length && <p className="dim">The first {count(rows.length)} of {count(table.rowsTotal)}.</p>}
    </div>
  );
}

/** Up to the longest IPv4 address with its port, one word is not broken on paper. */
const WHOLE_MOST = 21;

function Cell({ words, number }: { words: string; number: boolean }) {
  const shape = words.includes(" ") ? "prose" : words.length <= WHOLE_MOST ? "whole" : undefined;
  return <td className={number ? "number" : shape}>{words}</td>;
}

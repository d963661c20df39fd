/** `/i/:id/findings`: everything that was found, and what was looked for. */
import { useState } from "react";

import { useFurtherFindings, useReport } from "../api/queries";
import { useSource } from "../api/source";
import type { Finding, Report } from "../api/types";
import { CheckedList, kindWords } from "../diagnosis/CheckedList";
import { byKind, type Kind } from "../findings/byKind";
import { roleOf } from "../findings/findingWords";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { lettersOf } from "../format/findingLetters";
import { Plain } from "../glossary/Plain";
import { roleSentence } from "../glossary/plainWords";
import { Worded } from "../glossary/Worded";
import { count, duration, plural } from "../format/quantity";
import { RoleGlyph } from "../ui/Glyph";
import { Region } from "../ui/Region";
import { RouteLink } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";
import "../diagnosis/diagnosis.css";
import "../findings/finding.css";

export function FindingsPage() {
  const report = useReport();
  useTitle("Findings");
  return (
    <>
      <h1>Findings</h1>
      <Region label="Findings" query={report} empty={(found) => (found ? null : "No report yet: it is available when the analysis is finished.")}>
        {(found) => found && <Listed report={found} />}
      </Region>
    </>
  );
}

function Listed({ report }: { report: Report }) {
  const further = useFurtherFindings(report.findings.length);
  const findings = [...report.findings, ...(further.data?.pages.flatMap((page) => page.items) ?? [])];
  const letters = lettersOf(findings);
  const left = report.findings_total - findings.length;
  return (
    <>
      {report.findings_total === 0 && <p>Nothing was found. Detection rules checked, and what could not be, is below.</p>}
      {byKind(findings).map((kind) => <KindRows key={kind.kind} report={report} kind={kind} letters={letters} />)}
      {left > 0 && (
        <p>
          <button type="button" className="button" disabled={further.isFetching} onClick={() => void further.fetchNextPage()}>Show more findings</button>{" "}
          <span className="dim">{plural(left, "finding")} further down</span>
          {further.error && <span role="alert"> {further.error.message}</span>}
        </p>
      )}
      <section className="card panel finding-checked" aria-label="Detection rules checked">
        <header className="panel-head"><h2>Detection rules checked</h2></header>
        <CheckedList checked={report.checked} />
      </section>
    </>
  );
}

/** So many of one kind are shown at once; of more, the first alone. */
const TOGETHER_MOST = 4;
const ROWS_A_PAGE = 25;

function KindRows({ report, kind: { kind, findings }, letters }: { report: Report; kind: Kind; letters: ReadonlyMap<string, string> }) {
  const [shown, setShown] = useState(findings.length > TOGETHER_MOST ? 1 : findings.length);
  const rows = findings.length > TOGETHER_MOST ? findings.slice(0, shown) : findings;
  const left = findings.length - rows.length;
  const lost_s = findings.reduce((sum, finding) => sum + finding.time_lost_s, 0);
  return (
    <section aria-label={kindWords(kind)} data-testid="finding-kind" data-kind={kind} data-findings={findings.length}>
      {findings.length > TOGETHER_MOST && (
        <p className="finding-kind-head">
          <b>{kindWords(kind)}</b> <span className="dim">{plural(findings.length, "finding")}{lost_s > 0 && ` · ${duration(lost_s)} lost`}</span>
        </p>
      )}
      {rows.map((finding) => <Row key={finding.id} report={report} finding={finding} letter={letters.get(finding.id) ?? ""} />)}
      {left > 0 && <p><button type="button" className="button" onClick={() => setShown(shown + ROWS_A_PAGE)}>Show {count(Math.min(left, ROWS_A_PAGE))} more of {count(left)}</button></p>}
    </section>
  );
}

function Row({ report, finding, letter }: { report: Report; finding: Finding; letter: string }) {
  const { page } = useSource();
  const causes = report.diagnoses.filter((diagnosis) => diagnosis.findings.includes(finding.id));
  return (
    <article className="card panel finding-row" data-testid="finding" data-claim="finding" data-kind={finding.kind}>
      <span className="finding-letter"><RoleGlyph role={roleOf(report, finding)} size={16} /> {letter}</span>
      <div>
        <h2><RouteLink href={`${page}/findings/${encodeURIComponent(finding.id)}`}>{finding.title}</RouteLink></h2>
        <p><Worded text={finding.summary} /></p>
        <Plain sentence={roleSentence(roleOf(report, finding))} />
        <p className="dim">
          {plural(finding.count, "instance")}
          {finding.time_lost_s > 0 && ` · ${duration(finding.time_lost_s)} lost`} ·{" "}
          {causes.length ? `explained by: ${causes.map((cause) => cause.title).join("; ")}` : "no known cause explains it"}
        </p>
        <EvidenceLinks evidence={finding.evidence} shown={8} frames_total={finding.frames_total} />
      </div>
    </article>
  );
}

/** Everything else that was found: further diagnoses, and findings no diagnosis explains. */
import { useState } from "react";

import { useSource } from "../api/source";
import type { Finding, Report } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { byKind } from "../findings/byKind";
import { duration, plural } from "../format/quantity";
import { useDisagreements } from "../notes/Disagreement";
import { RoleGlyph } from "../ui/Glyph";
import { RouteLink } from "../ui/RouteLink";
import { statementOf, timeLostOf, type Answer } from "./answers";
import { DiagnosisCard } from "./DiagnosisCard";
import { Targets } from "./Targets";
import { VerdictWord } from "./VerdictWord";

export function OtherDiagnoses({ report, answers }: { report: Report; answers: Answer[] }) {
  const stands = answers.filter(({ diagnosis }) => diagnosis.verdict !== "cannot-tell");
  const undecided = answers.filter(({ diagnosis }) => diagnosis.verdict === "cannot-tell");
  if (!answers.length) return null;
  return (
    <section className="card panel" aria-label="Other diagnoses" data-testid="other-diagnoses">
      <header className="panel-head">
        <h2>Other diagnoses</h2>
      </header>
      {stands.map((answer) => <Row key={answer.diagnosis.id || answer.diagnosis.statement} report={report} answer={answer} />)}
      <Undecided report={report} answers={undecided} />
    </section>
  );
}

/** Causes that lack evidence: no answers, and so folded where there are several. */
function Undecided({ report, answers }: { report: Report; answers: Answer[] }) {
  const rows = answers.map((answer) => <Row key={answer.diagnosis.id || answer.diagnosis.statement} report={report} answer={answer} />);
  if (answers.length < 2) return <>{rows}</>;
  return (
    <details className="undecided" data-testid="undecided">
      <summary>{plural(answers.length, "undecided cause")}: {answers.map(({ diagnosis }) => diagnosis.title).join(", ")}</summary>
      {rows}
    </details>
  );
}

function Row({ report, answer }: { report: Report; answer: Answer }) {
  const [open, setOpen] = useState(false);
  const { diagnosis, group } = answer;
  const disputed = useDisagreements(diagnosis).length > 0;
  const analyzed = { version: report.tool.version, created: report.created };
  const lost_s = timeLostOf(answer);
  return (
    <div className="other-diagnosis" data-testid="other-diagnosis" data-cause={diagnosis.cause}>
      <button type="button" className="other-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <RoleGlyph role={diagnosis.role} />
        <VerdictWord verdict={diagnosis.verdict} plain />
        <span className="other-statement">{disputed ? <s className="dim">{statementOf(answer)}</s> : statementOf(answer)}</span>
        <span className="number">{lost_s > 0 ? `${duration(lost_s)} lost` : ""}</span>
        <span aria-hidden="true">{open ? "▾" : "▸"}</span>
      </button>
      {group && <Targets group={group} />}
      {open && <DiagnosisCard diagnosis={diagnosis} findings={report.findings} analyzed={analyzed} />}
    </div>
  );
}

/** Findings that no diagnosis takes up. */
export function LooseFindings({ report }: { report: Report }) {
  const explained = new Set(report.diagnoses.flatMap((diagnosis) => diagnosis.findings));
  const loose = report.findings.filter((finding) => !explained.has(finding.id));
  if (!loose.length) return null;
  return (
    <section className="card panel" aria-label="Findings without a diagnosis" data-testid="loose-findings">
      <header className="panel-head">
        <h2>Findings without a diagnosis</h2>
      </header>
      <ul className="findings-evidence">
        {byKind(loose).map(({ kind, findings: [first, ...others] }) => (
          <FindingLine key={kind} finding={first} others={others} />
        ))}
      </ul>
    </section>
  );
}

/** The first of a kind, and how many there are of it. */
function FindingLine({ finding, others }: { finding: Finding; others: Finding[] }) {
  const source = useSource();
  return (
    <li data-claim="finding" data-testid="finding" data-kind={finding.kind}>
      <div>
        <strong>{finding.title}</strong>{" "}
        <span className="dim">
          {plural(finding.count, "instance")} {finding.time_lost_s > 0 && `· ${duration(finding.time_lost_s)} lost`}
        </span>{" "}
        {finding.marks_total > 0 && <RouteLink href={`${source.page}/timeline?sel=${finding.id}`}>timeline</RouteLink>}
      </div>
      <p>{finding.summary}</p>
      <EvidenceLinks evidence={finding.evidence} shown={8} frames_total={finding.frames_total} />
      {others.length > 0 && <p><RouteLink href={`${source.page}/findings`}>and {plural(others.length, "more finding")} of this kind</RouteLink></p>}
    </li>
  );
}

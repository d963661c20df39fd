/** Everything else that was found: further diagnoses, and findings no diagnosis explains. */
import { useState } from "react";

import { useSource } from "../api/source";
import type { Diagnosis, Finding, Report } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { duration, plural } from "../format/quantity";
import { useDisagreements } from "../notes/Disagreement";
import { RoleGlyph } from "../ui/Glyph";
import { RouteLink } from "../ui/RouteLink";
import { DiagnosisCard } from "./DiagnosisCard";
import { VerdictWord } from "./VerdictWord";

export function OtherDiagnoses({ report, diagnoses }: { report: Report; diagnoses: Diagnosis[] }) {
  if (!diagnoses.length) return null;
  return (
    <section className="card panel" aria-label="Other diagnoses" data-testid="other-diagnoses">
      <header className="panel-head">
        <h2>Other diagnoses</h2>
      </header>
      {diagnoses.map((diagnosis) => (
        <Row key={diagnosis.id || diagnosis.statement} report={report} diagnosis={diagnosis} />
      ))}
    </section>
  );
}

function Row({ report, diagnosis }: { report: Report; diagnosis: Diagnosis }) {
  const [open, setOpen] = useState(false);
  const disputed = useDisagreements(diagnosis).length > 0;
  const analysed = { version: report.tool.version, created: report.created };
  return (
    <div className="other-diagnosis">
      <button type="button" className="other-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <RoleGlyph role={diagnosis.role} />
        <VerdictWord verdict={diagnosis.verdict} plain />
        <span className="other-statement">{disputed ? <s className="dim">{diagnosis.statement}</s> : diagnosis.statement}</span>
        <span className="number">{diagnosis.time_lost_s > 0 ? `${duration(diagnosis.time_lost_s)} lost` : ""}</span>
        <span aria-hidden="true">{open ? "▾" : "▸"}</span>
      </button>
      {open && <DiagnosisCard diagnosis={diagnosis} findings={report.findings} analysed={analysed} />}
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
        {loose.map((finding) => (
          <FindingLine key={finding.id} finding={finding} />
        ))}
      </ul>
    </section>
  );
}

function FindingLine({ finding }: { finding: Finding }) {
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
    </li>
  );
}

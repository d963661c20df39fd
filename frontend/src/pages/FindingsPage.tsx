/** `/i/:id/findings`: everything that was found, and what was looked for. */
import { useFurtherFindings, useReport } from "../api/queries";
import { useSource } from "../api/source";
import type { Finding, Report } from "../api/types";
import { CheckedList } from "../diagnosis/CheckedList";
import { roleOf } from "../findings/findingWords";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { lettersOf } from "../format/findingLetters";
import { Plain } from "../glossary/Plain";
import { roleSentence } from "../glossary/plainWords";
import { Worded } from "../glossary/Worded";
import { duration, plural } from "../format/quantity";
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
      {findings.map((finding) => (
        <Row key={finding.id} report={report} finding={finding} letter={letters.get(finding.id) ?? ""} />
      ))}
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

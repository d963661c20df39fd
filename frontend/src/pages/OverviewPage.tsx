/** Verdict first: what happened, how sure, what it cost, what to type; then everything that supports it. */
import { useInvestigation, useReport } from "../api/queries";
import { useSource } from "../api/source";
import type { Finding, Investigation, Report } from "../api/types";
import { SinceBaseline } from "../compare/SinceBaseline";
import { AccountLine } from "../diagnosis/AccountLine";
import { answersOf, type Answer } from "../diagnosis/answers";
import { CheckedSummary } from "../diagnosis/CheckedList";
import { DiagnosisCard } from "../diagnosis/DiagnosisCard";
import { NothingFound } from "../diagnosis/NothingFound";
import { Outcomes } from "../diagnosis/Outcomes";
import { LooseFindings, OtherDiagnoses } from "../diagnosis/OtherDiagnoses";
import { QualityStrip } from "../diagnosis/QualityStrip";
import { Tour } from "../diagnosis/Tour";
import { VerdictCard } from "../diagnosis/VerdictCard";
import { DensityStrip } from "../findings/DensityStrip";
import { Region } from "../ui/Region";
import { RouteLink } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";
import { RunningAnalysis } from "../upload/RunningAnalysis";
import "../diagnosis/diagnosis.css";

export function OverviewPage() {
  const source = useSource();
  const investigation = useInvestigation();
  const report = useReport();
  const running = isRunning(investigation.data);
  useTitle(investigation.data?.label ?? "Overview");
  return (
    <Region label="Investigation" query={investigation}>
      {(about) => (
        <>
          {!source.readOnly && <SinceBaseline run={about.id} />}
          {running && <RunningAnalysis />}
          <Region label="Report" query={report} empty={(found) => (found ? null : <NoReport about={about} />)}>
            {(found) => found && <ReportBody report={found} />}
          </Region>
        </>
      )}
    </Region>
  );
}

function isRunning(investigation: Investigation | undefined): boolean {
  return investigation?.analysis === "queued" || investigation?.analysis === "running";
}

function NoReport({ about }: { about: Investigation }) {
  const source = useSource();
  if (isRunning(about)) return <p>The verdict appears here when it is ready. You can close this page.</p>;
  const state = {
    failed: "The analysis failed. The reason is shown on the page Files.",
    cancelled: "The analysis was cancelled.",
  }[String(about.analysis)];
  return (
    <p>
      {state ?? "Nothing has been analyzed yet: add captures or dumps."}{" "}
      {!source.readOnly && <RouteLink href={`${source.page}/files`}>Files</RouteLink>}
    </p>
  );
}

function ReportBody({ report }: { report: Report }) {
  const [first, ...others] = answersOf(report);
  return (
    <>
      {first ? (
        <VerdictCard diagnosis={first.diagnosis} group={first.group} findings={report.findings} report={report} />
      ) : report.findings.some(isNotable) ? (
        <Unexplained report={report} />
      ) : (
        <NothingFound report={report} />
      )}
      {first && <Tour />}
      <div className="overview-grid">
        <div className="overview-column">
          <OtherDiagnoses report={report} answers={others} />
          <AccountLine account={report.account} />
          <DensityStrip />
          <Outcomes outcomes={report.outcomes} />
        </div>
        <div className="overview-column">
          <QualityStrip quality={report.quality} />
          {(first || report.findings.some(isNotable)) && <CheckedSummary checked={report.checked} />}
        </div>
      </div>
      <LooseFindings report={report} />
      {first && <InFull report={report} answer={first} />}
    </>
  );
}

/** Of several destinations the diagnosis of one is an example, and folded. */
function InFull({ report, answer: { diagnosis, group } }: { report: Report; answer: Answer }) {
  const analyzed = { version: report.tool.version, created: report.created };
  const card = <DiagnosisCard diagnosis={diagnosis} findings={report.findings} analyzed={analyzed} />;
  return (
    <section className="card panel" aria-label="Diagnosis in full">
      {group ? (
        <details data-testid="example-in-full">
          <summary>An example in full: {diagnosis.title}{diagnosis.impact && `, ${diagnosis.impact.destination}`}</summary>
          {card}
        </details>
      ) : (
        <>
          <header className="panel-head">
            <h2>{diagnosis.title}</h2>
          </header>
          {card}
        </>
      )}
    </section>
  );
}

/** Harmless findings make no headline. */
const isNotable = (finding: Finding): boolean => finding.severity !== "info";

/** Something was found, but no cause could be named. */
function Unexplained({ report }: { report: Report }) {
  const worst = report.findings.filter(isNotable).reduce((a, b) => (b.time_lost_s > a.time_lost_s ? b : a));
  return (
    <section className="card verdict-card" aria-label="Verdict" data-role="neutral">
      <h1 className="claim" data-testid="claim">
        {worst.title}. No known cause explains it.
      </h1>
      <p className="dim">The findings below show the symptoms; the evidence does not decide the cause.</p>
    </section>
  );
}

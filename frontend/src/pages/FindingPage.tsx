/** `/i/:id/findings/:fid`: the diagnosis in full, what was measured, every instance, and the frames and lines that prove it. */
import { useParams } from "@tanstack/react-router";
import { useEffect } from "react";

import { useConnections, useFinding, useReport } from "../api/queries";
import { useSource } from "../api/source";
import type { Finding, Report } from "../api/types";
import { DiagnosisCard } from "../diagnosis/DiagnosisCard";
import { FindingsEvidence } from "../diagnosis/FindingsEvidence";
import { HowRecognized } from "../diagnosis/HowRecognized";
import { VerdictCard } from "../diagnosis/VerdictCard";
import { INSTANCES_ID, roleOf } from "../findings/findingWords";
import { LocalStrip } from "../findings/LocalStrip";
import { measuresOf } from "../findings/measureWords";
import { FindingRows } from "../findings/FindingRows";
import { lettersOf } from "../format/findingLetters";
import { count, duration, plural } from "../format/quantity";
import { dateWords } from "../format/zone";
import { RoleGlyph, roleWord } from "../ui/Glyph";
import { Region } from "../ui/Region";
import { InstancePackets } from "../packets/InstancePackets";
import { RouteLink, useAddress } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";
import "../diagnosis/diagnosis.css";
import "../findings/finding.css";

export function FindingPage() {
  const { fid } = useParams({ strict: false }) as { fid: string };
  const report = useReport();
  const finding = useFinding(fid);
  return (
    <Region label="Finding" query={report} empty={(found) => (found ? null : "No report yet: it is available when the analysis is finished.")}>
      {(found) => found && (
        <Region label="Finding in full" query={finding}>
          {(full) => (full ? <Found key={fid} report={found} finding={full} /> : <Gone report={found} />)}
        </Region>
      )}
    </Region>
  );
}

/** The address is of an analysis that is no more. */
function Gone({ report }: { report: Report }) {
  const { page } = useSource();
  return (
    <>
      <h1>The current analysis has no such finding</h1>
      <p>
        The files were analyzed again on {dateWords(report.created)}, and numbers may have changed.{" "}
        <RouteLink href={`${page}/findings`}>{report.findings_total ? `All findings: ${report.findings_total}` : "Detection rules checked"}</RouteLink>
      </p>
    </>
  );
}

function Found({ report, finding }: { report: Report; finding: Finding }) {
  useTitle(finding.title);
  const diagnoses = report.diagnoses.filter((diagnosis) => diagnosis.findings.includes(finding.id));
  useScrollToInstances();
  const analyzed = { version: report.tool.version, created: report.created };
  return (
    <div className="finding-page">
      <Head report={report} finding={finding} />
      {diagnoses.map((diagnosis) => (
        <VerdictCard key={diagnosis.cause} diagnosis={diagnosis} findings={report.findings} />
      ))}
      {!diagnoses.length && <p className="dim">No known cause explains it; the evidence is below.</p>}
      <LocalStrip finding={finding} />
      <Measures finding={finding} />
      <div id={INSTANCES_ID} className="finding-anchor" />
      {finding.tables.map((table, at) => (
        <FindingRows key={table.name} finding={finding.id} part={String(at)} name={table.name} table={table} />
      ))}
      <FindingRows finding={finding.id} part="affected" name="affected hosts" />
      <FindingRows finding={finding.id} part="events" name="events" />
      <section className="card panel" aria-label="Evidence" data-testid="finding-evidence">
        <header className="panel-head"><h2>Evidence</h2></header>
        <FindingsEvidence findings={[finding]} />
        <InstancePackets finding={finding} />
        <HowRecognized kinds={[finding.kind]} />
      </section>
      {diagnoses.map((diagnosis) => (
        <section key={diagnosis.cause} className="card panel" aria-label="Diagnosis in full">
          <header className="panel-head"><h2>{diagnosis.title}</h2></header>
          <DiagnosisCard diagnosis={diagnosis} findings={report.findings} analyzed={analyzed} />
        </section>
      ))}
    </div>
  );
}

/** `at=instances` in the address: whoever asked to see them does not want to look for them. */
function useScrollToInstances() {
  const wanted = useAddress().parameters.at === "instances";
  useEffect(() => {
    if (!wanted) return undefined;
    // After the router, which begins a page at its top.
    const soon = setTimeout(() => document.getElementById(INSTANCES_ID)?.scrollIntoView({ block: "start" }));
    return () => clearTimeout(soon);
  }, [wanted]);
}

function Head({ report, finding }: { report: Report; finding: Finding }) {
  const { page } = useSource();
  const letter = lettersOf(report.findings).get(finding.id);
  const role = roleOf(report, finding);
  const at = report.findings.findIndex((each) => each.id === finding.id);
  const [previous, next] = at < 0 ? [] : [report.findings[at - 1], report.findings[at + 1]];
  return (
    <header className="finding-head" data-testid="finding-head">
      <span className="finding-letter"><RoleGlyph role={role} size={16} /> {letter}</span>
      <h1>{finding.title}</h1>
      <span className="dim">
        {roleWord(role)} · {finding.severity} · {plural(finding.count, "instance")}
        {finding.time_lost_s > 0 && ` · ${duration(finding.time_lost_s)} lost`}
      </span>
      <span className="connection-walk">
        <ItsConnections finding={finding} />
        {previous && <RouteLink className="button" href={`${page}/findings/${encodeURIComponent(previous.id)}`}>◂ {lettersOf(report.findings).get(previous.id)}</RouteLink>}
        {next && <RouteLink className="button" href={`${page}/findings/${encodeURIComponent(next.id)}`}>{lettersOf(report.findings).get(next.id)} ▸</RouteLink>}
      </span>
      <p data-claim="summary">{finding.summary}</p>
    </header>
  );
}

/** A stall or a burst is about packets and requests: a door to an empty list leads nowhere. */
function ItsConnections({ finding }: { finding: Finding }) {
  const { page } = useSource();
  const total = useConnections({ finding: finding.id, limit: 1 }).data?.total ?? 0;
  if (!total) return null;
  return <RouteLink className="button" href={`${page}/connections?sel=${encodeURIComponent(finding.id)}`}>{total === 1 ? "Its connection" : `Its ${count(total)} connections`}</RouteLink>;
}

function Measures({ finding }: { finding: Finding }) {
  const measures = measuresOf(finding.measures);
  if (!measures.length) return null;
  return (
    <section className="card panel" aria-label="Measured" data-testid="measures">
      <header className="panel-head"><h2>Measured</h2></header>
      <dl className="measures">
        {measures.map((measure) => (
          <div key={measure.name}>
            <dt>{measure.name}</dt>
            <dd>{measure.value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The first thing on the page: what happened, how sure, what it cost, what to type. */
import { useSource } from "../api/source";
import type { Diagnosis, Finding, Remedy, Report } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { count, duration } from "../format/quantity";
import { Plain } from "../glossary/Plain";
import { roleSentence } from "../glossary/plainWords";
import { Worded } from "../glossary/Worded";
import { Command } from "../ui/CopyButton";
import { RoleGlyph, roleWord } from "../ui/Glyph";
import { RouteLink } from "../ui/RouteLink";
import { useDisagreements } from "../notes/Disagreement";
import { signature } from "../notes/noteWords";
import { INSTANCES_ID } from "../findings/findingWords";
import { sectionId } from "./DiagnosisCard";
import { Denominator } from "./Denominator";
import { VerdictWord } from "./VerdictWord";

/** Evidence of the steps stands for the statement they add up to. */
function statementEvidence(diagnosis: Diagnosis) {
  const steps = diagnosis.claims.filter((claim) => claim.role === "step");
  return (steps.length ? steps : diagnosis.claims).flatMap((claim) => claim.evidence);
}

export function figuresOf(diagnosis: Diagnosis): { name: string; value: string }[] {
  if (diagnosis.figures.length) return diagnosis.figures;
  return diagnosis.time_lost_s > 0 ? [{ name: "time lost", value: duration(diagnosis.time_lost_s) }] : [];
}

export function VerdictCard({ diagnosis, findings, report }: { diagnosis: Diagnosis; findings: Finding[]; report?: Report }) {
  const against = useDisagreements(diagnosis);
  const disputed = against.length > 0;
  return (
    <section className="card verdict-card" data-role={disputed ? "neutral" : diagnosis.role} aria-label="Verdict">
      <div className="verdict-line">
        <span className="verdict-role">
          <RoleGlyph role={diagnosis.role} size={16} /> {roleWord(diagnosis.role)}
        </span>
        <VerdictWord verdict={diagnosis.verdict} />
        <span className="dim">{diagnosis.title}</span>
      </div>
      <div data-claim="statement">
        <h1 className="claim" data-testid="claim">
          {disputed ? <s><Worded text={diagnosis.statement} /></s> : <Worded text={diagnosis.statement} />}
        </h1>
        {against.map((note) => (
          <p key={note.id} data-testid="verdict-disputed"><strong>{signature(note)}, disagrees:</strong> <span className="note-text">{note.text}</span></p>
        ))}
        <Plain sentence={roleSentence(diagnosis.role)} />
        <EvidenceLinks evidence={statementEvidence(diagnosis)} shown={6} />
      </div>
      {report && <Denominator report={report} />}
      <Figures figures={figuresOf(diagnosis)} />
      <DoNow diagnosis={diagnosis} />
      <Doors diagnosis={diagnosis} findings={findings} />
    </section>
  );
}

function Figures({ figures }: { figures: { name: string; value: string }[] }) {
  if (!figures.length) return null;
  return (
    <dl className="figures" data-testid="figures">
      {figures.map((figure) => (
        <div key={figure.name}>
          <dt>{figure.name}</dt>
          <dd>{figure.value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What to do first: never a change that is a choice, for it needs thought and not a copy button. */
export function adviceOf(remedies: Remedy[]): Remedy | undefined {
  const advice = remedies.filter((remedy) => !remedy.choice.length);
  return advice.find((remedy) => remedy.command) ?? advice[0] ?? remedies[0];
}

function DoNow({ diagnosis }: { diagnosis: Diagnosis }) {
  const remedy = adviceOf(diagnosis.remedies);
  if (!remedy) return null;
  return (
    <div className="do-now">
      <h2>Do now</h2>
      <div>
        <p className="do-now-what">{remedy.what}</p>
        {remedy.command && <Command text={remedy.command} label="Command of the fix" />}
        <p className="dim do-now-notes">
          {remedy.undo && (
            <span>
              <b>Undo</b> {remedy.undo}
            </span>
          )}
          {remedy.side_effect && (
            <span>
              <b>Side effect</b> {remedy.side_effect}
            </span>
          )}
          {remedy.versions && (
            <span>
              <b>Needs</b> {remedy.versions}
            </span>
          )}
        </p>
      </div>
    </div>
  );
}

/** On the finding's own page the address may not change. */
function scrollToInstances() {
  scrollToSection(INSTANCES_ID);
}

function scrollToSection(id: string) {
  document.getElementById(id)?.scrollIntoView({ block: "start" });
}

/** The number of the claim or none: a finding may count another unit (packets for connections). */
export function showAllWords(found: number, statement: string): string {
  if (found === 1) return "See it";
  const numbers: string[] = statement.match(/\d[\d,]*/g) ?? [];
  return numbers.includes(count(found)) ? `Show all ${count(found)}` : "Show all";
}

function Doors({ diagnosis, findings }: { diagnosis: Diagnosis; findings: Finding[] }) {
  const source = useSource();
  const first = findings.find((finding) => diagnosis.findings.includes(finding.id) && finding.marks_total > 0);
  return (
    <div className="doors-row">
      {first && (
        <>
          <RouteLink className="button button-main" href={`${source.page}/findings/${encodeURIComponent(first.id)}?at=instances`} onClick={scrollToInstances}>
            {showAllWords(first.count, diagnosis.statement)}
          </RouteLink>
          <RouteLink className="button" href={`${source.page}/timeline?sel=${first.id}${first.instances > 0 ? "~1" : ""}`}>
            Show an example
          </RouteLink>
        </>
      )}
      <button type="button" className="button" onClick={() => scrollToSection(sectionId(diagnosis, "why"))}>
        Evidence
      </button>
      <button type="button" className="button" onClick={() => scrollToSection(sectionId(diagnosis, "rivals"))}>
        Alternatives {diagnosis.rivals.length}
      </button>
    </div>
  );
}

/** The first thing on the page: what happened, how sure, what it cost, what to type. */
import { useSource } from "../api/source";
import type { CauseGroup, Diagnosis, Finding, Report } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { count } from "../format/quantity";
import { Plain } from "../glossary/Plain";
import { roleSentence } from "../glossary/plainWords";
import { Worded } from "../glossary/Worded";
import { RoleGlyph, roleWord } from "../ui/Glyph";
import { RouteLink } from "../ui/RouteLink";
import { useDisagreements } from "../notes/Disagreement";
import { signature } from "../notes/noteWords";
import { INSTANCES_ID } from "../findings/findingWords";
import { statementOf } from "./answers";
import { sectionId } from "./DiagnosisCard";
import { Denominator } from "./Denominator";
import { DoNow } from "./DoNow";
import { Targets } from "./Targets";
import { tilesOf } from "./tiles";
import { VerdictWord } from "./VerdictWord";

/** Evidence of the steps stands for the statement they add up to. */
function statementEvidence(diagnosis: Diagnosis) {
  const steps = diagnosis.claims.filter((claim) => claim.role === "step");
  return (steps.length ? steps : diagnosis.claims).flatMap((claim) => claim.evidence);
}

interface VerdictCardProps {
  diagnosis: Diagnosis;
  /** Where the diagnosis stands for several of one cause. */
  group?: CauseGroup | null;
  findings: Finding[];
  report?: Report;
}

export function VerdictCard({ diagnosis, group = null, findings, report }: VerdictCardProps) {
  const against = useDisagreements(diagnosis);
  const disputed = against.length > 0;
  const statement = statementOf({ diagnosis, group });
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
          {disputed ? <s><Worded text={statement} /></s> : <Worded text={statement} />}
        </h1>
        {against.map((note) => (
          <p key={note.id} data-testid="verdict-disputed"><strong>{signature(note)}, rejects the diagnosis:</strong> <span className="note-text">{note.text}</span></p>
        ))}
        <Plain sentence={roleSentence(diagnosis.role)} />
        {report && <Denominator report={report} />}
        <Tiles diagnosis={diagnosis} group={group} />
        <EvidenceLinks evidence={statementEvidence(diagnosis)} shown={6} />
      </div>
      {group && <Targets group={group} />}
      <DoNow diagnosis={diagnosis} />
      <Doors diagnosis={diagnosis} group={group} findings={findings} />
    </section>
  );
}

function Tiles({ diagnosis, group }: { diagnosis: Diagnosis; group: CauseGroup | null }) {
  const tiles = tilesOf(diagnosis, group);
  if (!tiles.length) return null;
  return (
    <dl className="figures" data-testid="figures">
      {tiles.map((tile) => (
        <div key={tile.name}>
          <dt>{tile.name}</dt>
          <dd>{tile.value}{tile.note && <small className="dim">{tile.note}</small>}</dd>
        </div>
      ))}
    </dl>
  );
}

/** On the finding's own page the address may not change. */
function scrollToInstances() {
  scrollToSection(INSTANCES_ID);
}

function scrollToSection(id: string) {
  const section = document.getElementById(id);
  const folded = section?.closest("details");
  if (folded) folded.open = true;
  section?.scrollIntoView({ block: "start" });
}

/** The number of the claim or none: a finding may count another unit (packets for connections). */
export function showAllWords(found: number, statement: string): string {
  if (found === 1) return "Show it";
  const numbers: string[] = statement.match(/\d[\d,]*/g) ?? [];
  return numbers.includes(count(found)) ? `Show all ${count(found)}` : "Show all";
}

function Doors({ diagnosis, group, findings }: { diagnosis: Diagnosis; group: CauseGroup | null; findings: Finding[] }) {
  const source = useSource();
  const first = findings.find((finding) => diagnosis.findings.includes(finding.id) && finding.marks_total > 0);
  return (
    <div className="doors-row">
      {group && <RouteLink className="button button-main" href={`${source.page}/findings`}>Show all findings</RouteLink>}
      {first && (
        <>
          {!group && <RouteLink className="button button-main" href={`${source.page}/findings/${encodeURIComponent(first.id)}?at=instances`} onClick={scrollToInstances}>
            {showAllWords(first.count, diagnosis.statement)}
          </RouteLink>}
          <RouteLink className="button" href={`${source.page}/timeline?sel=${first.id}${first.instances > 0 ? "~1" : ""}`}>
            Show an example
          </RouteLink>
        </>
      )}
      <button type="button" className="button" onClick={() => scrollToSection(sectionId(diagnosis, "why"))}>
        Evidence
      </button>
      {diagnosis.rivals.length > 0 && (
        <button type="button" className="button" onClick={() => scrollToSection(sectionId(diagnosis, "rivals"))}>
          Alternatives {diagnosis.rivals.length}
        </button>
      )}
    </div>
  );
}

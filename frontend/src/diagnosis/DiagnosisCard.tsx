/** A diagnosis in full, in eight sections that are always in the same order. */
import type { Claim, Diagnosis, Finding, Rival, Verdict } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { Plain } from "../glossary/Plain";
import { plainSentences } from "../glossary/plainWords";
import { Worded } from "../glossary/Worded";
import { dateWords } from "../format/zone";
import { Disputable } from "../notes/Disagreement";
import { Command } from "../ui/CopyButton";
import { InlineCode } from "../ui/InlineCode";
import { FindingsEvidence } from "./FindingsEvidence";
import { HowRecognized } from "./HowRecognized";
import { Remedies } from "./Remedies";
import { Section } from "./Section";

/** Nobody is sure of what may be otherwise. */
const WHY: Record<Verdict, string> = {
  confirmed: "Supporting evidence",
  likely: "Supporting evidence",
  possible: "Supporting evidence",
  "cannot-tell": "Supporting evidence",
};
const NO_REFUTATION = "No contradicting evidence was found.";

export function sectionId(diagnosis: Diagnosis, section: string): string {
  return `${diagnosis.id || diagnosis.cause}-${section}`;
}

interface AnalyzedBy {
  version: string;
  created: string;
}

interface DiagnosisCardProps {
  diagnosis: Diagnosis;
  findings: Finding[];
  analyzed: AnalyzedBy;
}

export function DiagnosisCard({ diagnosis, findings, analyzed }: DiagnosisCardProps) {
  const of = (role: Claim["role"]) => diagnosis.claims.filter((claim) => claim.role === role);
  const own = findings.filter((finding) => diagnosis.findings.includes(finding.id));
  const name = (section: string) => sectionId(diagnosis, section);
  return (
    <article className="diagnosis" data-testid="diagnosis" data-cause={diagnosis.cause}>
      <Disputable diagnosis={diagnosis}>
        <Section number={1} id={name("steps")} title="What happened">
          <Claims claims={of("step")} sign="·" />
        </Section>
        <div className="diagnosis-pair">
          <Section number={2} id={name("why")} title={WHY[diagnosis.verdict]}>
            <Claims claims={of("for")} sign="✓" />
          </Section>
          <Section number={3} id={name("against")} title="Contradicting evidence">
            <Against claims={of("against")} refutation={diagnosis.refutation} />
          </Section>
        </div>
        <Section number={4} id={name("rivals")} title="Alternatives">
          <Rivals rivals={diagnosis.rivals} />
        </Section>
        <Section number={5} id={name("missing")} title="Missing evidence">
          <Missing missing={diagnosis.missing} />
        </Section>
        <Section number={6} id={name("fix")} title="Fix">
          <Remedies remedies={diagnosis.remedies} />
        </Section>
        <Section number={7} id={name("evidence")} title="Evidence">
          {diagnosis.findings.length === 0 && <p className="dim">No finding of its own: the frames above are its evidence.</p>}
          <FindingsEvidence findings={own} total={Math.max(own.length, diagnosis.findings.length)} />
        </Section>
        <Section number={8} id={name("rule")} title="Rule">
          <Rule diagnosis={diagnosis} findings={own} analyzed={analyzed} />
        </Section>
      </Disputable>
    </article>
  );
}

function Claims({ claims, sign }: { claims: Claim[]; sign: string }) {
  if (!claims.length) return <p className="dim">Nothing was found.</p>;
  const plain = plainSentences(claims.map((claim) => claim.text));
  return (
    <ul className="claims">
      {claims.map((claim, at) => (
        <li key={claim.text} data-claim={claim.role}>
          <span aria-hidden="true" className="claim-sign">
            {sign}
          </span>
          <span>
            <Worded text={claim.text} /> <EvidenceLinks evidence={claim.evidence} />
            <Plain sentence={plain[at] ?? null} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Never empty: where nothing speaks against, what would. */
function Against({ claims, refutation }: { claims: Claim[]; refutation: string }) {
  return (
    <div data-testid="against">
      {claims.length > 0 ? <Claims claims={claims} sign="!" /> : <p className="against-none">{NO_REFUTATION}{refutation && ` ${refutation.charAt(0).toUpperCase()}${refutation.slice(1)}.`}</p>}
    </div>
  );
}

const RIVAL_WORDS: Record<Rival["status"], string> = {
  "ruled-out": "ruled out",
  possible: "still possible",
  "cannot-tell": "undecided",
};

function Rivals({ rivals }: { rivals: Rival[] }) {
  if (!rivals.length) return <p className="dim">No alternative cause is known.</p>;
  return (
    <table className="table rivals">
      <thead>
        <tr>
          <th>Rival</th>
          <th>Status</th>
          <th>Because</th>
        </tr>
      </thead>
      <tbody>
        {rivals.map((rival) => (
          <tr key={rival.cause} data-testid="rival" data-status={rival.status}>
            <td>{rival.title || rival.cause.replaceAll("-", " ")}</td>
            <td>
              <span className="rival-status">{RIVAL_WORDS[rival.status]}</span>
            </td>
            <td>
              <Worded text={rival.because} />
              {rival.command && <Command text={rival.command} label="Command that decides it" />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Missing({ missing }: { missing: Diagnosis["missing"] }) {
  if (!missing.length) return <p className="dim">No evidence is missing.</p>;
  return (
    <ul className="missing">
      {missing.map((item) => (
        <li key={item.what}>
          <p><InlineCode text={item.what} /></p>
          <Command text={item.command} label="Command that collects it" />
        </li>
      ))}
    </ul>
  );
}

function Rule({ diagnosis, findings, analyzed }: { diagnosis: Diagnosis; findings: Finding[]; analyzed: AnalyzedBy }) {
  const kinds = [...new Set(findings.map((finding) => finding.kind))];
  return (
    <>
      <p>
        <code className="mono">{diagnosis.cause}</code> from <code className="mono">{kinds.join(", ")}</code>{" "}
        <span className="dim">
          · rules of version {analyzed.version} · analyzed {dateWords(analyzed.created, 8)}
        </span>
      </p>
      <HowRecognized kinds={kinds} />
      {diagnosis.references.length > 0 && (
        <ul className="references">
          {diagnosis.references.map((reference) => (
            <li key={reference}>
              <Reference text={reference} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Reference({ text }: { text: string }) {
  if (!/^https?:\/\/\S+$/.test(text)) return <>{text}</>;
  return (
    <a href={text} rel="noreferrer noopener" target="_blank">
      {text}
    </a>
  );
}

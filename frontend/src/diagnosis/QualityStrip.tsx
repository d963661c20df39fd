/** Capture quality: what was dropped, missing, guessed, and whether the account closes. */
import type { Quality } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";

export function QualityStrip({ quality }: { quality: Quality[] }) {
  return (
    <section className="card panel" aria-label="Capture quality" data-testid="quality">
      <header className="panel-head">
        <h2>Capture quality</h2>
      </header>
      {!quality.length && <p className="dim">No information about how it was captured.</p>}
      <ul className="quality">
        {quality.map((line) => (
          <li key={line.text} data-status={line.status}>
            <span className="quality-sign" aria-label={line.status === "good" ? "Good" : "Caution"} role="img">
              {line.status === "good" ? "✓" : "!"}
            </span>
            <span>
              <QualityText text={line.text} /> <EvidenceLinks evidence={line.evidence} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Warnings of a file may fill a screen: longer ones are opened on demand. */
const LONG_FROM = 200;
const BEGINNING = 140;

function QualityText({ text }: { text: string }) {
  if (text.length < LONG_FROM) return text;
  return (
    <details className="quality-long">
      <summary>{text.slice(0, text.lastIndexOf(" ", BEGINNING))} …</summary>
      {text.slice(text.lastIndexOf(" ", BEGINNING))}
    </details>
  );
}

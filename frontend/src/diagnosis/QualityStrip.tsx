/** Can this capture be trusted? What was dropped, missing, guessed, and whether the account closes. */
import type { Quality } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";

export function QualityStrip({ quality }: { quality: Quality[] }) {
  return (
    <section className="card panel" aria-label="Can this capture be trusted?" data-testid="quality">
      <header className="panel-head">
        <h2>Can this capture be trusted?</h2>
      </header>
      {!quality.length && <p className="dim">Nothing is known about how it was taken.</p>}
      <ul className="quality">
        {quality.map((line) => (
          <li key={line.text} data-status={line.status}>
            <span className="quality-sign" aria-label={line.status === "good" ? "Good" : "Caution"} role="img">
              {line.status === "good" ? "✓" : "!"}
            </span>
            <span>
              {line.text} <EvidenceLinks evidence={line.evidence} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How many connections, lookups, requests and TLS handshakes failed or took long, whether or not a rule fired. */
import type { Outcome, Report } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { count } from "../format/quantity";

const SUBJECTS: Record<Outcome["what"], string> = {
  connections: "Connections",
  lookups: "DNS lookups",
  requests: "HTTP requests",
  "tls-handshakes": "TLS handshakes",
};

export function anyHarm(report: Report): boolean {
  return (report.outcomes ?? []).some((part) => part.failed > 0 || part.slow > 0);
}

export function Outcomes({ outcomes }: { outcomes: readonly Outcome[] | undefined }) {
  if (!outcomes?.length) return null;
  return (
    <section className="card panel" aria-label="Outcomes" data-testid="outcomes">
      <header className="panel-head">
        <h2>Outcomes</h2>
      </header>
      <table className="table outcomes">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" className="number">
              Total
            </th>
            <th scope="col" className="number">
              Failed
            </th>
            <th scope="col" className="number">
              {outcomes[0]?.slow_from_s} s or more
            </th>
            <th scope="col">How they ended</th>
          </tr>
        </thead>
        <tbody>
          {outcomes.map((part) => (
            <Row key={part.what} part={part} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ part }: { part: Outcome }) {
  const worst = part.by_destination?.[0];
  return (
    <tr>
      <th scope="row">{SUBJECTS[part.what]}</th>
      <td className="number">{count(part.total)}</td>
      <td className="number">{part.failed > 0 ? <strong>{count(part.failed)}</strong> : "0"}</td>
      <td className="number">
        {count(part.slow)}
        {part.slow > 0 && <div className="outcome-links"><EvidenceLinks evidence={part.slowest} shown={2} /></div>}
      </td>
      <td>
        {part.by_outcome.map((line) => (
          <div key={line.outcome}>
            {count(line.count)} {line.outcome.replaceAll("-", " ")} <EvidenceLinks evidence={line.evidence} shown={2} />
          </div>
        ))}
        {worst && (
          <div className="dim">
            {count(worst.failed)} of {count(worst.total)} to {worst.destination} failed
          </div>
        )}
      </td>
    </tr>
  );
}

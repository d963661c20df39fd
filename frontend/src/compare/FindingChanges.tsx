/** Findings that are new, gone, worse or unchanged, each with the frames behind it on either side. */
import { useReportOf, type Comparison } from "../api/comparisons";
import type { Report } from "../api/types";
import { evidenceParameter, targetsOf } from "../findings/evidenceAddress";
import { count, duration } from "../format/quantity";
import { stringifySearch } from "../format/searchString";
import { RouteLink } from "../ui/RouteLink";
import { byState } from "./compareWords";

type Change = Comparison["findings"][number];
type FindingSide = NonNullable<Change["base"]>;

/** As many as fit beside the numbers; the finding's page has all. */
const LINKS_SHOWN = 3;

export function FindingChanges({ changes, base, candidate }: { changes: Change[]; base: string; candidate: string }) {
  const reports = { base: useReportOf(base).data, candidate: useReportOf(candidate).data };
  return (
    <section className="card panel compare-part" aria-labelledby="compare-findings">
      <h2 id="compare-findings">Findings</h2>
      {!changes.length && <p>Neither has a finding.</p>}
      {byState(changes).map((group) => (
        <div key={group.title} className="compare-state" data-testid="compare-state">
          <h3>{group.title} <span className="dim">{count(group.changes.length)}</span></h3>
          <table className="table">
            <thead><tr><th>Finding</th><th>Base</th><th>Candidate</th><th>Why</th></tr></thead>
            <tbody>
              {group.changes.map((change) => (
                <tr key={`${change.kind} ${change.destination}`} data-testid="finding-change">
                  <th scope="row">{change.title} <span className="dim">{change.severity}</span></th>
                  <td><SideCell side={change.base} id={base} report={reports.base} /></td>
                  <td><SideCell side={change.candidate} id={candidate} report={reports.candidate} /></td>
                  <td className="compare-why">{change.because}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ))}
    </section>
  );
}

function SideCell({ side, id, report }: { side: FindingSide | null; id: string; report: Report | undefined }) {
  const first = side?.ids[0];
  if (!side || !first) return <span className="dim">none</span>;
  const page = `/i/${id}/findings/${encodeURIComponent(first)}`;
  const evidence = report?.findings.find((finding) => finding.id === first)?.evidence ?? [];
  const inputs = new Set(evidence.map((part) => part.input)).size;
  return (
    <>
      <RouteLink href={page}>
        {count(side.count)}{side.out_of === null ? "" : ` of ${count(side.out_of)}`}
      </RouteLink>
      {side.time_lost_s > 0 && <span className="dim"> · {duration(side.time_lost_s)} lost</span>}
      <span className="evidence-links">
        {targetsOf(evidence).slice(0, LINKS_SHOWN).map((target) => {
          const parameter = evidenceParameter(target);
          const place = target.kind === "frame" ? `#${target.first}` : `:${target.first}`;
          return (
            <RouteLink key={parameter} className="evidence-link" data-evidence={target.kind} href={page + stringifySearch({ evidence: parameter })}>
              {target.kind === "line" || inputs > 1 ? `${target.input} ${place}` : place}
            </RouteLink>
          );
        })}
      </span>
    </>
  );
}

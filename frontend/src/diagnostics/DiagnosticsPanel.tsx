/** What the parts of the newest finished analysis took, and which of them failed. */
import { useQuery } from "@tanstack/react-query";

import { ask } from "../api/http";
import type { Investigation, Page, Report } from "../api/types";
import { bytes, duration } from "../format/quantity";
import { Region } from "../ui/Region";
import { partRows } from "./partRows";
import "../access/access.css";

const SHOWN = 20;

export function DiagnosticsPanel() {
  const found = useQuery({ queryKey: ["diagnostics"], queryFn: ({ signal }) => newestReport(signal) });
  return (
    <section className="card panel" aria-labelledby="diagnostics-title">
      <h2 id="diagnostics-title">Diagnostics</h2>
      <p className="dim">
        Processor time and memory of each detector, cause and list of the report, in the newest finished analysis. A fact that several ask for is counted with
        the first of them. One that takes too much is stopped, and the rest of the report stands.
      </p>
      <Region label="Diagnostics" query={found} empty={(report) => (report?.timings.length ? null : "No analysis has finished yet.")}>
        {(report) => report && <Parts report={report} />}
      </Region>
    </section>
  );
}

function Parts({ report }: { report: Report }) {
  const rows = partRows(report);
  const rest = rows.length - SHOWN;
  return (
    <div className="access-scroll" tabIndex={0} role="region" aria-label="Diagnostics, table">
      <table className="table">
        <caption>{report.label}</caption>
        <thead><tr><th>Part</th><th className="number">Processor time</th><th className="number">Memory more</th><th>Result</th></tr></thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row) => (
            <tr key={row.kind} data-testid="part">
              <td className="mono">{row.kind}</td>
              <td className="number">{duration(row.cpu_s)}</td>
              <td className="number">{row.grown_bytes ? bytes(row.grown_bytes) : "–"}</td>
              <td>{row.failed ?? "complete"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <p className="dim">{rest} more took less.</p>}
    </div>
  );
}

async function newestReport(signal: AbortSignal): Promise<Report | null> {
  const { items } = await ask<Page<Investigation>>("/api/v1/investigations", { signal });
  const finished = items.find((each) => each.analysis === "finished");
  return finished ? ask<Report>(`/api/v1/investigations/${finished.id}/report/outline`, { signal }) : null;
}

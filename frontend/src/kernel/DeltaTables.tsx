/** What counters rose by between the first dump of a kind and the last, CPU by CPU. */
import { useState } from "react";

import type { DumpSeries, SeriesPoint } from "../api/types";
import { EvidenceLink } from "../findings/EvidenceLinks";
import { count, plural } from "../format/quantity";
import { deltaTables, type DeltaTable } from "./seriesPlot";

export function DeltaTables({ series, contradictions }: { series: readonly DumpSeries[]; contradictions: readonly string[] }) {
  const tables = deltaTables(series);
  if (!tables.length && !contradictions.length) return null;
  return (
    <section aria-label="Counters before and after" className="kernel-section">
      <h2>Counters before and after</h2>
      {contradictions.map((sentence) => <p key={sentence} className="kernel-caution">! {sentence}</p>)}
      {tables.map((table) => <Table key={table.key} table={table} />)}
    </section>
  );
}

function Table({ table }: { table: DeltaTable }) {
  const [all, setAll] = useState(false);
  const rows = all ? [...table.changed, ...table.unchanged] : table.changed;
  return (
    <div className="card panel" data-testid="delta" data-kind={table.kind}>
      <header className="panel-head">
        <h3>{table.kind} <span className="dim">{[table.host, plural(table.dumps, "dump"), table.order === "times" ? "ordered by their times" : "ordered by their counters, as they have no timestamps"].filter(Boolean).join(" · ")}</span></h3>
        {table.unchanged.length > 0 && (
          <button type="button" className="link-button" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? "Only those that rose" : `${plural(table.unchanged.length, "counter")} did not change`}
          </button>
        )}
      </header>
      {rows.length === 0 ? <p className="dim">No counter changed.</p> : (
        <div className="kernel-scroll">
          <table className="table delta-table">
            <thead>
              <tr>
                <th>Counter</th><th className="number">Before</th><th className="number">After</th><th className="number">Rise</th>
                {table.cpus.map((cpu) => <th key={cpu} className="number">CPU {cpu}</th>)}
                <th>Lines</th>
              </tr>
            </thead>
            <tbody>{rows.map((each) => <Row key={each.name} series={each} cpus={table.cpus} />)}</tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function Row({ series, cpus }: { series: DumpSeries; cpus: string[] }) {
  const [before, after] = [series.points[0], series.points.at(-1)];
  return (
    <tr data-counter={series.name} data-rise={series.rise ?? ""}>
      <th scope="row" className="mono">{series.name}</th>
      <td className="number">{before && count(before.value)}</td>
      <td className="number">{after && count(after.value)}</td>
      <td className="number"><b>{series.rise === null ? "contradiction" : `+${count(series.rise)}`}</b></td>
      {cpus.map((cpu) => <td key={cpu} className="number">{series.rise_per_cpu[cpu] === undefined ? "–" : `+${count(series.rise_per_cpu[cpu])}`}</td>)}
      <td>{before && <Lines point={before} />} → {after && <Lines point={after} />}</td>
    </tr>
  );
}

function Lines({ point }: { point: SeriesPoint }) {
  return <EvidenceLink target={{ input: point.input, kind: "line", first: Math.min(...point.lines), last: Math.max(...point.lines) }}>{point.input}:{Math.min(...point.lines)}</EvidenceLink>;
}

/** One cause at many destinations: how the time lost is spread over them, and a row each, 25 a page. */
import { useState } from "react";

import { useSource } from "../api/source";
import type { CauseGroup, GroupRow } from "../api/types";
import { count, duration, plural } from "../format/quantity";
import { RouteLink } from "../ui/RouteLink";
import { Pages, ROWS_A_PAGE } from "../ui/Pages";
import { percentiles, sorted, type Sort } from "./targets";
import { share } from "./tiles";
import "./targets.css";

const HEADS: { by: Sort; words: string; number: boolean }[] = [
  { by: "destination", words: "Destination", number: false },
  { by: "affected", words: "Affected", number: true },
  { by: "share", words: "Share", number: true },
  { by: "longest", words: "Longest", number: true },
  { by: "lost", words: "Time lost", number: true },
];

/** `open` where nobody can open it: on paper. */
export function Targets({ group, open = false }: { group: CauseGroup; open?: boolean }) {
  const [by, setBy] = useState<Sort>(group.time_lost_s > 0 ? "lost" : "affected");
  const [descending, setDescending] = useState(true);
  const [page, setPage] = useState(0);
  const shown = sorted(group.rows, by, descending).slice(page * ROWS_A_PAGE, (page + 1) * ROWS_A_PAGE);
  function choose(next: Sort) {
    setDescending(next === by ? !descending : next !== "destination");
    setBy(next);
    setPage(0);
  }
  const most = group.rows.reduce((highest, row) => Math.max(highest, row.time_lost_s), 0);
  return (
    <details className="targets" open={open} data-testid="targets" data-rows={group.rows_total}>
      <summary>{plural(group.rows_total, "row")} by destination</summary>
      <Spread group={group} />
      <table className="table targets-table">
        <thead>
          <tr>
            {HEADS.map((head) => (
              <th key={head.by} scope="col" className={head.number ? "number" : undefined} aria-sort={head.by === by ? (descending ? "descending" : "ascending") : undefined}>
                <button type="button" className="big-sort" onClick={() => choose(head.by)}>{head.words}{head.by === by && (descending ? " ▼" : " ▲")}</button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{shown.map((row) => <Row key={row.diagnosis} row={row} most={most} />)}</tbody>
      </table>
      <Pages page={page} rows={group.rows.length} total={group.rows_total} show={setPage} />
      {group.rows_total > group.rows.length && <p className="dim">The first {count(group.rows.length)} by time lost; all of them are in the JSON of the report.</p>}
    </details>
  );
}

function Row({ row, most }: { row: GroupRow; most: number }) {
  const { page } = useSource();
  const { impact } = row;
  const more = impact.other_destinations;
  return (
    <tr data-testid="target">
      <td>
        {row.finding ? <RouteLink className="mono" href={`${page}/findings/${encodeURIComponent(row.finding)}`}>{impact.destination}</RouteLink> : <span className="mono">{impact.destination}</span>}
        {more > 0 && <span className="dim"> and {plural(more, "other destination")}</span>}
      </td>
      <td className="number">{count(impact.affected)} of {count(impact.total)}</td>
      <td className="number">{share(impact.affected, impact.total)}</td>
      <td className="number">{duration(impact.longest_s)}</td>
      <td className="number targets-lost">
        {row.time_lost_s > 0 ? duration(row.time_lost_s) : "–"}
        <i aria-hidden="true" style={{ width: most > 0 ? `${(100 * row.time_lost_s) / most}%` : 0 }} />
      </td>
    </tr>
  );
}

/** Time lost by percentile of the destinations; where none was lost, the longest wait. */
function Spread({ group }: { group: CauseGroup }) {
  const lost = group.time_lost_s > 0;
  const bars = percentiles(group.rows.map((row) => (lost ? row.time_lost_s : row.impact.longest_s)));
  const most = Math.max(...bars.map((bar) => bar.value), Number.MIN_VALUE);
  const words = bars.map((bar) => `${bar.at === 100 ? "max" : `p${bar.at}`} ${duration(bar.value)}`);
  return (
    <figure className="targets-spread" aria-label={`${lost ? "Time lost" : "Longest wait"} by destination: ${words.join(", ")}`} role="img">
      <figcaption>{lost ? "Time lost" : "Longest wait"} by destination</figcaption>
      {bars.map((bar, at) => (
        <span key={bar.at} className="targets-bar">
          <i style={{ height: `${Math.max(2, (40 * bar.value) / most)}px` }} />
          <small>{words[at]}</small>
        </span>
      ))}
    </figure>
  );
}

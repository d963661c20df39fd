/** Runs by label: what the pipeline was told, the time lost, and how that went from run to run. */
import { useState } from "react";

import { useRunGroups, useRunsBehind, type Run, type RunGroup } from "../api/runs";
import { comparePage, gateOf, runPage } from "../compare/compareWords";
import { GateWord } from "../compare/GateWord";
import { ago, count, duration, plural } from "../format/quantity";
import { Region } from "../ui/Region";
import { RouteLink } from "../ui/RouteLink";
import { lostSeconds } from "./runs";
import { Trend } from "./Trend";
import "./ci.css";

/** Of each label at first. */
const RUNS_SHOWN = 5;

export function RunList() {
  const groups = useRunGroups();
  return (
    <section className="card panel runs" aria-labelledby="runs-title">
      <h2 id="runs-title">Runs</h2>
      <p className="dim">
        A run passes or fails against its baseline: <code>stallscope upload … --label L --baseline latest:L</code>.
      </p>
      <Region label="Runs" query={groups} empty={(found) => (found.length ? null : "No runs yet.")}>
        {(found) => found.map((group) => <Label key={group.label} group={group} />)}
      </Region>
      {groups.hasNextPage && (
        <button type="button" className="button" disabled={groups.isFetchingNextPage} onClick={() => void groups.fetchNextPage()}>More labels</button>
      )}
    </section>
  );
}

function Label({ group }: { group: RunGroup }) {
  const [all, setAll] = useState(false);
  const behind = useRunsBehind(group, all);
  const known = [...group.runs, ...(behind.data ?? [])];
  const visible = all ? known : known.slice(0, RUNS_SHOWN);
  const hidden = group.runs_total - visible.length;
  function more() {
    if (all) void behind.fetchNextPage();
    else setAll(true);
  }
  return (
    <div className="runs-label" data-testid="run-label">
      <h3>
        {group.label} <span className="dim">{plural(group.runs_total, "run")}</span> <Trend seconds={lostSeconds(group.runs)} />
      </h3>
      <table className="table">
        <thead><tr><th>Run</th><th>Verdict</th><th>Against</th><th className="number">Time lost</th></tr></thead>
        <tbody>{visible.map((run, at) => <Row key={run.id} run={run} earlier={known[at + 1]} />)}</tbody>
      </table>
      {behind.error && <p role="alert">{behind.error.message}</p>}
      {hidden > 0 && (
        <button type="button" className="link-button" disabled={behind.isFetching} onClick={more}>Show {count(hidden)} more</button>
      )}
    </div>
  );
}

function Row({ run, earlier }: { run: Run; earlier: Run | undefined }) {
  const gate = gateOf(run.analysis, run.verdict ?? undefined);
  return (
    <tr data-testid="run">
      <th scope="row"><RouteLink href={runPage(run.id, run.base_id)} title={run.created}>{ago(run.created)}</RouteLink></th>
      <td>{gate ? <GateWord gate={gate} /> : <span className="dim">no baseline</span>}</td>
      <td>
        {run.base_id && <><RouteLink href={comparePage(run.base_id, run.id)}>its baseline</RouteLink> <span className="dim">{run.statement}</span></>}
        {!run.base_id && earlier && <RouteLink href={comparePage(earlier.id, run.id)}>Compare with the previous run</RouteLink>}
      </td>
      <td className="number">{run.analysis === "finished" ? duration(run.time_lost_s) : "–"}</td>
    </tr>
  );
}

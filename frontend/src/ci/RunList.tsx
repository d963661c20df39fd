/** Runs by label: what the pipeline was told, the time lost, and how that went from run to run. */
import { useState } from "react";

import { useAllInvestigations, useComparisonsOf } from "../api/comparisons";
import type { Investigation } from "../api/types";
import { comparePage, gateOf } from "../compare/compareWords";
import { GateWord } from "../compare/GateWord";
import { ago, count, duration, plural } from "../format/quantity";
import { Region } from "../ui/Region";
import { RouteLink } from "../ui/RouteLink";
import { lostSeconds, runsByLabel, type RunGroup } from "./runs";
import { Trend } from "./Trend";
import "./ci.css";

/** Of each label at first; each row asks for its own comparisons. */
const RUNS_SHOWN = 5;

export function RunList() {
  const investigations = useAllInvestigations();
  return (
    <section className="card panel runs" aria-labelledby="runs-title">
      <h2 id="runs-title">Runs</h2>
      <p className="dim">
        A run passes or fails against its baseline: <code>stallscope upload … --label L --baseline latest:L</code>.
      </p>
      <Region label="Runs" query={investigations} empty={(all) => (runsByLabel(all).length ? null : "There is no run yet.")}>
        {(all) => runsByLabel(all).map((group) => <Label key={group.label} group={group} />)}
      </Region>
    </section>
  );
}

function Label({ group }: { group: RunGroup }) {
  const [all, setAll] = useState(false);
  const visible = all ? group.runs : group.runs.slice(0, RUNS_SHOWN);
  return (
    <div className="runs-label" data-testid="run-label">
      <h3>
        {group.label} <span className="dim">{plural(group.runs.length, "run")}</span> <Trend seconds={lostSeconds(group.runs)} />
      </h3>
      <table className="table">
        <thead><tr><th>Run</th><th>Verdict</th><th>Against</th><th className="number">Time lost</th></tr></thead>
        <tbody>{visible.map((run) => <Row key={run.id} run={run} all={group.runs} />)}</tbody>
      </table>
      {group.runs.length > visible.length && (
        <button type="button" className="link-button" onClick={() => setAll(true)}>Show all {count(group.runs.length)}</button>
      )}
    </div>
  );
}

function Row({ run, all }: { run: Investigation; all: Investigation[] }) {
  const comparisons = useComparisonsOf(run.id);
  const newest = comparisons.data?.find((each) => each.up_to_date);
  const gate = gateOf(run.analysis, newest?.verdict);
  const earlier = all[all.indexOf(run) + 1];
  return (
    <tr data-testid="run">
      <th scope="row"><RouteLink href={`/i/${run.id}`} title={run.created}>{ago(run.created)}</RouteLink></th>
      <td>
        {gate ? <GateWord gate={gate} /> : comparisons.data && <span className="dim">no baseline</span>}
        {comparisons.error && <span role="alert">{comparisons.error.message}</span>}
      </td>
      <td>
        {newest && <><RouteLink href={comparePage(newest.base_id, run.id)}>its baseline</RouteLink> <span className="dim">{newest.statement}</span></>}
        {!newest && earlier && comparisons.data && <RouteLink href={comparePage(earlier.id, run.id)}>Compare with the run before</RouteLink>}
      </td>
      <td className="number">{run.analysis === "finished" ? duration(run.time_lost_s) : "–"}</td>
    </tr>
  );
}

/** One comparison: the verdict, what changed, and how that was judged. */
import type { Comparison, Outcome } from "../api/comparisons";
import { count, duration } from "../format/quantity";
import { RouteLink } from "../ui/RouteLink";
import { gateOf } from "./compareWords";
import { Counters } from "./Counters";
import { FindingChanges } from "./FindingChanges";
import { GateWord } from "./GateWord";
import { Limits } from "./Limits";
import { Shares } from "./Shares";
import { Waits } from "./Waits";
import { CauseChanges } from "./CauseChanges";

interface Two {
  comparison: Comparison;
  base: string;
  candidate: string;
}

export function ComparisonView({ comparison, base, candidate }: Two) {
  return (
    <>
      <Verdict outcome={comparison.verdict} statement={comparison.statement} />
      <FindingChanges changes={comparison.findings} base={base} candidate={candidate} />
      <CauseChanges changes={comparison.causes} />
      <Waits changes={comparison.waits} />
      <Shares changes={comparison.shares} />
      <Limits pairs={comparison.limits} />
      <Counters pairs={comparison.counters} base={base} candidate={candidate} />
      <Sides comparison={comparison} base={base} candidate={candidate} />
      <Notes title="Limits of this comparison" lines={comparison.cautions} />
      <Notes title="Not compared" lines={comparison.not_compared} />
      <details className="card panel compare-part">
        <summary>Method of the comparison</summary>
        <ul>{comparison.rules.map((rule) => <li key={rule}>{rule}</li>)}</ul>
      </details>
    </>
  );
}

function Verdict({ outcome, statement }: { outcome: Outcome; statement: string }) {
  const gate = gateOf("finished", outcome);
  return (
    <section className="card panel compare-verdict" aria-label="Verdict">
      {gate && <GateWord gate={gate} />}
      <p className="compare-statement" data-testid="comparison-statement">{statement}</p>
    </section>
  );
}

function Sides({ comparison, base, candidate }: Two) {
  const sides = [comparison.base, comparison.candidate];
  return (
    <section className="card panel compare-part" aria-labelledby="compare-counters">
      <h2 id="compare-counters">Inputs</h2>
      <table className="table">
        <thead>
          <tr>
            <th>What</th>
            <th className="number">Base: <RouteLink href={`/i/${base}`}>{comparison.base.label}</RouteLink></th>
            <th className="number">Candidate: <RouteLink href={`/i/${candidate}`}>{comparison.candidate.label}</RouteLink></th>
          </tr>
        </thead>
        <tbody>
          <tr><th scope="row">Packets</th>{sides.map((side, at) => <td key={at} className="number">{count(side.packets)}</td>)}</tr>
          <tr><th scope="row">Connection attempts</th>{sides.map((side, at) => <td key={at} className="number">{count(side.attempts)}</td>)}</tr>
          <tr><th scope="row">Recorded</th>{sides.map((side, at) => <td key={at} className="number">{duration(side.recorded_s)}</td>)}</tr>
          <tr><th scope="row">Analyzed with</th>{sides.map((side, at) => <td key={at} className="number">{side.tool.version}</td>)}</tr>
        </tbody>
      </table>
    </section>
  );
}

function Notes({ title, lines }: { title: string; lines: string[] }) {
  if (!lines.length) return null;
  return (
    <section className="card panel compare-part" aria-label={title}>
      <h2>{title}</h2>
      <ul>{lines.map((line) => <li key={line}>{line}</li>)}</ul>
    </section>
  );
}

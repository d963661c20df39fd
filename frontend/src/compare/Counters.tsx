/** Counters of both kernels side by side. They count whole machines, so nothing is judged by them. */
import type { Comparison } from "../api/comparisons";
import { count, duration } from "../format/quantity";
import { RouteLink } from "../ui/RouteLink";

type Pair = Comparison["counters"][number];
type Side = Pair["base"];

export function Counters({ pairs, base, candidate }: { pairs: Pair[]; base: string; candidate: string }) {
  if (!pairs.length) return null;
  return (
    <section className="card panel compare-part" aria-labelledby="compare-kernel">
      <h2 id="compare-kernel">Kernel counters</h2>
      <p className="dim">Increase of each between the first and the last dump, largest difference first. They cover the whole host and do not affect the verdict.</p>
      <table className="table">
        <thead>
          <tr>
            <th>Counter</th><th>Dumps</th>
            <th className="number">Base</th><th className="number">per second</th><th className="number">Candidate</th><th className="number">per second</th>
          </tr>
        </thead>
        <tbody>
          {pairs.map((pair) => (
            <tr key={`${pair.kind} ${pair.host} ${pair.subject} ${pair.name}`} data-testid="counter-pair">
              <th scope="row">{pair.name}</th>
              <td className="dim">{[pair.kind, pair.subject, pair.host].filter(Boolean).join(" · ")}</td>
              <Cells side={pair.base} id={base} />
              <Cells side={pair.candidate} id={candidate} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cells({ side, id }: { side: Side; id: string }) {
  if (!side) return <td className="number dim" colSpan={2}>not listed</td>;
  const span = side.seconds === null ? undefined : `in ${duration(side.seconds)}`;
  return (
    <>
      <td className="number"><RouteLink href={`/i/${id}/state`} title={span}>{count(side.rise)}</RouteLink></td>
      <td className="number dim">{side.per_s === null ? "–" : side.per_s.toPrecision(3)}</td>
    </>
  );
}

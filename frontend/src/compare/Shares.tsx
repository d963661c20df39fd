/** Shares of connection attempts on either side. */
import type { Comparison } from "../api/comparisons";
import { count, percent } from "../format/quantity";
import { QUANTITIES, stateWord } from "./compareWords";

type Change = Comparison["shares"][number];

export function Shares({ changes }: { changes: Change[] }) {
  if (!changes.length) return null;
  return (
    <section className="card panel compare-part" aria-labelledby="compare-shares">
      <h2 id="compare-shares">Shares of connection attempts</h2>
      <table className="table">
        <thead><tr><th>Share</th><th>State</th><th className="number">Base</th><th className="number">Candidate</th><th>Why</th></tr></thead>
        <tbody>
          {changes.map((change) => (
            <tr key={`${change.quantity} ${change.destination}`}>
              <th scope="row">{QUANTITIES[change.quantity]} <span className="dim">{change.destination}</span></th>
              <td>{stateWord(change.state)}</td>
              <Side side={change.base} />
              <Side side={change.candidate} />
              <td className="compare-why">{change.because}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Side({ side }: { side: Change["base"] }) {
  return (
    <td className="number">
      {count(side.count)} of {count(side.out_of)} <span className="dim">{percent(side.ratio)}</span>
    </td>
  );
}

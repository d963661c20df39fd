/** Causes, with how sure each side is of them. */
import type { Comparison } from "../api/comparisons";
import { VerdictWord } from "../diagnosis/VerdictWord";
import { stateWord } from "./compareWords";

type Sure = Comparison["causes"][number]["base"];

export function CauseChanges({ changes }: { changes: Comparison["causes"] }) {
  if (!changes.length) return null;
  return (
    <section className="card panel compare-part" aria-labelledby="compare-causes" tabIndex={0}>
      <h2 id="compare-causes">Causes</h2>
      <table className="table">
        <thead><tr><th>Cause</th><th>State</th><th>Base</th><th>Candidate</th><th>Why</th></tr></thead>
        <tbody>
          {changes.map((change) => (
            <tr key={change.cause}>
              <th scope="row">{change.title}</th>
              <td>{stateWord(change.state)}</td>
              <td><HowSure sure={change.base} /></td>
              <td><HowSure sure={change.candidate} /></td>
              <td className="compare-why">{change.because}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function HowSure({ sure }: { sure: Sure }) {
  return sure ? <VerdictWord verdict={sure} plain /> : <span className="dim">none</span>;
}

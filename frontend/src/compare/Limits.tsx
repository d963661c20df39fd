/** What limited the connections to each destination on either side. */
import type { Comparison } from "../api/comparisons";
import { percent } from "../format/quantity";

type Pair = Comparison["limits"][number];

const COLUMNS = [
  ["application_ratio", "Application"], ["receiver_window_ratio", "Receiver window"], ["network_ratio", "Network"], ["handshake_ratio", "Handshake"],
] as const;

export function Limits({ pairs }: { pairs: Pair[] }) {
  if (!pairs.length) return null;
  return (
    <section className="card panel compare-part" aria-labelledby="compare-limits">
      <h2 id="compare-limits">Limited by</h2>
      <p className="dim">Share of the time of all connections that transferred data, base → candidate. A longer idle time changes every share: they do not affect the verdict.</p>
      <table className="table">
        <thead><tr><th>Destination</th>{COLUMNS.map(([, name]) => <th key={name} className="number">{name}</th>)}</tr></thead>
        <tbody>
          {pairs.map((pair) => (
            <tr key={pair.destination} data-testid="limits-pair">
              <th scope="row">{pair.destination}</th>
              {COLUMNS.map(([key]) => <td key={key} className="number">{percent(pair.base[key])} → {percent(pair.candidate[key])}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** How long one waited on either side: the middle, the 95th and the 99th percentile, drawn and in numbers. */
import type { Comparison } from "../api/comparisons";
import { count, duration } from "../format/quantity";
import { QUANTITIES, stateWord } from "./compareWords";
import { Distribution } from "./Distribution";
import { waitScale, waitTicks, type Wait } from "./waitScale";

type Change = Comparison["waits"][number];

const MS_PER_S = 1000;
const COLUMNS = 9;
const inWords = (ms: number): string => duration(ms / MS_PER_S);

export function Waits({ changes }: { changes: Change[] }) {
  if (!changes.length) return null;
  return (
    <section className="card panel compare-part" aria-labelledby="compare-waits">
      <h2 id="compare-waits">Waits</h2>
      <p className="dim">From the median (bar) over the 95th (short line) to the 99th percentile (end), both sides on one logarithmic scale.</p>
      <table className="table">
        <thead>
          <tr>
            <th>Wait</th><th>State</th><th>Side</th><th className="number">Samples</th><th className="number">Median</th>
            <th className="number">95 %</th><th className="number">99 %</th><th>Distribution</th><th>Why</th>
          </tr>
        </thead>
        {changes.map((change) => <Rows key={`${change.quantity} ${change.destination}`} change={change} />)}
      </table>
    </section>
  );
}

function Rows({ change }: { change: Change }) {
  const two = [change.base, change.candidate];
  const scale = waitScale(two);
  const sides = [["base", change.base], ["candidate", change.candidate]] as const;
  return (
    <tbody data-testid="wait-change">
      {sides.map(([name, side], at) => (
        <tr key={name}>
          {at === 0 && (
            <>
              <th scope="rowgroup" rowSpan={2}>{QUANTITIES[change.quantity]} <span className="dim">{change.destination}</span></th>
              <td rowSpan={2}>{stateWord(change.state)}</td>
            </>
          )}
          <td>{name}</td>
          <td className="number">{count(side.samples)}</td>
          <td className="number">{inWords(side.median_ms)}</td>
          <td className="number">{inWords(side.p95_ms)}</td>
          <td className="number">{inWords(side.p99_ms)}</td>
          <td><Spread side={side} scale={scale} /></td>
          {at === 0 && <td rowSpan={2} className="compare-why">{change.because}</td>}
        </tr>
      ))}
      {change.base.quantiles_ms.length > 1 && change.candidate.quantiles_ms.length > 1 && (
        <tr>
          <td colSpan={COLUMNS}>
            <details>
              <summary>Distribution of {QUANTITIES[change.quantity]}</summary>
              <p className="dim">Cumulative share of samples (ECDF); base dashed, candidate solid.</p>
              <Distribution name={QUANTITIES[change.quantity]} base={change.base} candidate={change.candidate} scale={scale} ticks={waitTicks(two)} />
            </details>
          </td>
        </tr>
      )}
    </tbody>
  );
}

const WIDTH = 180;
const HEIGHT = 14;
const MIDDLE = HEIGHT / 2;
const INSET = 3;

function Spread({ side, scale }: { side: Wait; scale: (ms: number) => number }) {
  const x = (ms: number) => INSET + scale(ms) * (WIDTH - 2 * INSET);
  const words = `median ${inWords(side.median_ms)}, 95 % ${inWords(side.p95_ms)}, 99 % ${inWords(side.p99_ms)}`;
  return (
    <svg className="compare-spread" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img" aria-label={words}>
      <line x1={x(side.median_ms)} x2={x(side.p99_ms)} y1={MIDDLE} y2={MIDDLE} strokeWidth="2" />
      <line x1={x(side.median_ms)} x2={x(side.median_ms)} y1={1} y2={HEIGHT - 1} strokeWidth="5" />
      <line x1={x(side.p95_ms)} x2={x(side.p95_ms)} y1={3} y2={HEIGHT - 3} strokeWidth="2" />
      <line x1={x(side.p99_ms)} x2={x(side.p99_ms)} y1={3} y2={HEIGHT - 3} strokeWidth="2" />
    </svg>
  );
}

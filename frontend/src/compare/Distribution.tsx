/** How many samples took how long, on both sides: the share that was over by then. */
import type { Wait } from "./waitScale";
import { stepsOf } from "./waitScale";
import { duration } from "../format/quantity";

const WIDTH = 520;
const HEIGHT = 120;
const LEFT = 44;
const BOTTOM = 18;
const TOP = 6;
const SHARES = [0, 0.5, 1];
const MS_PER_S = 1000;

interface Two {
  name: string;
  base: Wait;
  candidate: Wait;
  scale: (ms: number) => number;
  ticks: number[];
}

export function Distribution({ name, base, candidate, scale, ticks }: Two) {
  const x = (ms: number) => LEFT + scale(ms) * (WIDTH - LEFT - 12);
  const y = (share: number) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  const line = (side: Wait) => stepsOf(side.quantiles_ms).map(({ ms, share }) => `${x(ms).toFixed(1)},${y(share).toFixed(1)}`).join(" ");
  return (
    <svg className="compare-curve" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${name}: cumulative share of samples (ECDF), base dashed, candidate solid. The table above has the figures.`}>
      {SHARES.map((share) => (
        <g key={share}>
          <line className="compare-grid" x1={LEFT} x2={WIDTH} y1={y(share)} y2={y(share)} />
          <text x={LEFT - 6} y={y(share) + 4} textAnchor="end">{share * 100} %</text>
        </g>
      ))}
      {ticks.map((ms) => <text key={ms} x={x(ms)} y={HEIGHT - 4} textAnchor="middle">{duration(ms / MS_PER_S)}</text>)}
      <polyline className="compare-base" points={line(base)} />
      <polyline className="compare-candidate" points={line(candidate)} />
    </svg>
  );
}

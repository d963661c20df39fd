/** Time lost from run to run as a small line; the words say the same. */
import { duration } from "../format/quantity";
import { trendPoints } from "./runs";

const WIDTH = 96;
const HEIGHT = 18;
const INSET = 3;

export function Trend({ seconds }: { seconds: number[] }) {
  if (seconds.length < 2) return null;
  const points = trendPoints(seconds).map(({ x, y }) => ({ x: INSET + x * (WIDTH - 2 * INSET), y: INSET + y * (HEIGHT - 2 * INSET) }));
  const last = points.at(-1);
  const words = `time lost ${duration(seconds[0] ?? 0)} → ${duration(seconds.at(-1) ?? 0)}`;
  return (
    <span className="trend" data-testid="trend">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
        <polyline points={points.map(({ x, y }) => `${x},${y}`).join(" ")} />
        {last && <circle cx={last.x} cy={last.y} r="2.5" />}
      </svg>
      {words}
    </span>
  );
}

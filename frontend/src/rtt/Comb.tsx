/** When groups begin, against the times at which they would if they came at a fixed interval. */
import type { HeldGroup } from "../api/roundTrips";
import type { Finding } from "../api/types";
import { linearAxis } from "../timeline/timeAxis";
import { windowEnd, type TimeWindow } from "../timeline/timeWindow";
import { AXIS_PX } from "./RttStage";
import { expectedOnsets, periodOf } from "./words";

const HEIGHT_PX = 22;

interface CombProps {
  findings: readonly Finding[];
  groups: readonly HeldGroup[];
  w: TimeWindow;
  widthPx: number;
}

export function Comb({ findings, groups, w, widthPx }: CombProps) {
  return findings.map((finding) => {
    const own = groups.filter((group) => group.finding === finding.id);
    const period = periodOf(finding, own.length);
    const first = own[0];
    if (period === null || first === undefined) return null;
    const expected = period.period_s === null ? [] : expectedOnsets(first.t, period.period_s, w.fromNs, windowEnd(w));
    const { x } = linearAxis(w, widthPx);
    return (
      <figure key={finding.id} className="rtt-comb" data-testid="comb" data-period={period.period_s ?? "none"}>
        <figcaption className="dim">{finding.title}: {period.words}</figcaption>
        <svg width={widthPx} height={HEIGHT_PX} style={{ marginLeft: AXIS_PX }} role="img" aria-label={`Onsets: ${period.words}`}>
          <line x1={0} x2={widthPx} y1={HEIGHT_PX - 1} y2={HEIGHT_PX - 1} className="rtt-comb-floor" />
          {expected.map((t) => <line key={t} x1={x(t)} x2={x(t)} y1={0} y2={HEIGHT_PX} className="rtt-comb-expected" />)}
          {own.map((group) => <line key={group.instance} x1={x(group.t)} x2={x(group.t)} y1={5} y2={HEIGHT_PX} className="rtt-comb-onset" />)}
        </svg>
      </figure>
    );
  });
}

/** A mark whose row was chosen pulses once, so that the eye finds it on the chart. */
import type { TimelineMark } from "../api/types";
import type { ChartGeometry } from "./laneLayout";
import type { TimeAxis } from "./timeAxis";

export interface Pulse {
  mark: TimelineMark;
  /** Counts the choices: the same mark chosen again pulses again. */
  times: number;
}

export function MarkPulse({ pulse, geometry, axis }: { pulse: Pulse; geometry: ChartGeometry; axis: TimeAxis }) {
  const { mark, times } = pulse;
  const left = axis.x(mark.t);
  if (left < 0 || left > axis.widthPx) return null;
  const rows = geometry.rows.filter((row) => mark.lanes.includes(row.lane.id));
  return rows.map((row) => (
    <i key={`${row.lane.id}${times}`} className={`timeline-pulse role-${mark.role}`} data-testid="pulse" data-mark={mark.id} aria-hidden="true" style={{ left, top: row.middle }} />
  ));
}

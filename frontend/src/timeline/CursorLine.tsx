/** One line over all lanes at the time pointed at, here or in a table below, with that time in the ruler. */
import { RULER_HEIGHT } from "./laneLayout";
import { usePointedTime } from "./pointed";
import type { TimeAxis } from "./timeAxis";

const LABEL_PX = 130;

export function CursorLine({ axis, height, read }: { axis: TimeAxis; height: number; read: (t: number) => string }) {
  const t = usePointedTime();
  const x = t === null ? -1 : axis.x(t);
  if (t === null || x < 0 || x > axis.widthPx) return null;
  const left = Math.min(Math.max(x - LABEL_PX / 2, 0), axis.widthPx - LABEL_PX);
  return (
    <>
      <i className="timeline-cursor" data-testid="cursor" data-t={t} style={{ left: x, height: height + RULER_HEIGHT / 3 }} />
      <span className="timeline-cursor-time" aria-hidden="true" style={{ left, width: LABEL_PX, top: -RULER_HEIGHT }}>{read(t)}</span>
    </>
  );
}

/** Ruler, panels, canvas and everything a pointer does to them. */
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type PointerEvent } from "react";

import type { HeldGroup } from "../api/roundTrips";
import { useReadTime } from "../format/clock";
import { count } from "../format/quantity";
import { CursorLine } from "../timeline/CursorLine";
import { Ruler } from "../timeline/LaneBackdrop";
import { pointAt } from "../timeline/pointed";
import type { Tick } from "../timeline/ticks";
import { linearAxis, type TimeAxis } from "../timeline/timeAxis";
import type { Span, TimeWindow } from "../timeline/timeWindow";
import type { Tokens } from "../timeline/tokens";
import { useDrag, useWheel } from "../timeline/usePointer";
import { groupsOf, type RttContent, type RttView } from "./buildOption";
import { axisTicks, place, unitOf, sampleAt, HEADING_PX, type Hit, type Panel } from "./scale";
import { ms, pairWords, placeWords } from "./words";

const RttChart = lazy(() => import("./RttChart"));
export const AXIS_PX = 62;

interface RttStageProps {
  view: RttView;
  content: RttContent;
  tokens: Tokens;
  ticks: Tick[];
  span: Span;
  show: (w: TimeWindow) => void;
  pickGroup: (group: HeldGroup) => void;
  pickSample: (hit: Hit) => void;
  fit: () => void;
}

interface Hover extends Hit {
  x: number;
  y: number;
}

export function RttStage(props: RttStageProps) {
  const { view, content, tokens, ticks, span, show } = props;
  const { geometry, window: w } = view;
  const surface = useRef<HTMLDivElement>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const axis = useMemo(() => linearAxis(w, geometry.widthPx), [w, geometry.widthPx]);
  useWheel(surface, { axis, span, show });
  useEffect(() => () => pointAt(), []);
  const drag = useDrag(axis, (x, y) => {
    const hit = sampleAt(geometry, w, x, y);
    const group = groupAt(view, content, axis, x, y);
    if (group !== null) props.pickGroup(group);
    if (hit !== null) props.pickSample(hit);
  });
  const hovered = useMemo(() => ({ ...view, current: hover === null ? view.current : (hover.panel.series.points.sid[hover.at] ?? null) }), [view, hover]);

  const read = useReadTime();
  function look(event: PointerEvent<HTMLDivElement>) {
    drag.move(event);
    const box = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const hit = event.buttons === 0 ? sampleAt(geometry, w, x, y) : null;
    setHover(hit === null ? null : { ...hit, x, y });
    pointAt({ mark: null, t: axis.t(x) });
  }

  return (
    <div className="rtt-stage" style={{ paddingLeft: AXIS_PX }}>
      <Ruler ticks={ticks} axis={axis} />
      <div className="rtt-plot" style={{ width: geometry.widthPx, height: geometry.height }}>
        {geometry.panels.map((panel) => <PanelFrame key={panel.series.id} panel={panel} view={view} axis={axis} ticks={ticks} />)}
        <Suspense fallback={null}>
          <RttChart view={hovered} content={content} tokens={tokens} />
        </Suspense>
        <CursorLine axis={axis} height={geometry.height} read={read} />
        <div
          ref={surface} className="rtt-surface" data-testid="rtt-surface" style={{ width: geometry.widthPx, height: geometry.height }}
          onPointerDown={drag.down} onPointerMove={look} onPointerLeave={() => { setHover(null); pointAt(); }} onDoubleClick={props.fit}
          onPointerUp={(event) => drag.up(event)}
        >
          {drag.stretch !== null && (
            <div className="timeline-stretch" style={{ left: drag.stretch.fromPx, width: drag.stretch.toPx - drag.stretch.fromPx }} />
          )}
          {drag.stretch !== null && drag.done && (
            <div className="rtt-bar" style={{ left: Math.min(drag.stretch.fromPx, geometry.widthPx - 150) }} onPointerDown={(event) => event.stopPropagation()} onPointerUp={(event) => event.stopPropagation()}>
              <button type="button" className="button" onClick={() => { const range = drag.stretch?.range; drag.clear(); if (range) show(range); }}>Zoom</button>
              <button type="button" className="plain-button" onClick={drag.clear}>Cancel</button>
            </div>
          )}
          {hover !== null && !drag.done && <SampleTip hover={hover} content={content} widthPx={geometry.widthPx} />}
        </div>
      </div>
    </div>
  );
}

function groupAt(view: RttView, content: RttContent, axis: TimeAxis, x: number, y: number): HeldGroup | null {
  const panel = view.geometry.panels.find((each) => y >= each.top && y <= each.top + each.height);
  if (panel === undefined) return null;
  const t = axis.t(x);
  const reach = axis.nsPerPx * 3;
  return groupsOf(panel.series, content.groups, view.window).find((group) => t >= group.t - reach && t <= group.t_end + reach) ?? null;
}

/** Heading, axis and grid lines: HTML, so that they can be read, selected and styled. */
function PanelFrame({ panel, view, axis, ticks }: { panel: Panel; view: RttView; axis: TimeAxis; ticks: Tick[] }) {
  const { series, top, height } = panel;
  return (
    <>
      <div className="rtt-heading" data-testid="rtt-panel" data-series={series.id} style={{ top: top - HEADING_PX, height: HEADING_PX, left: -AXIS_PX }}>
        <b>{pairWords(series)}</b> <span className="dim">{placeWords(series)}</span>
        <span className="dim rtt-heading-facts">
          baseline {ms(series.usual_ms)} · longest {ms(series.longest_ms)}
          {series.held > 0 && ` · ${count(series.held)} of ${count(series.samples)} delayed`}
        </span>
      </div>
      <div className="rtt-frame" aria-hidden="true" style={{ top, height, width: view.geometry.widthPx }}>
        {ticks.map((tick) => <i key={tick.t} className="timeline-gridline" style={{ left: axis.x(tick.t) }} />)}
        {axisTicks(panel.scale).map((tick) => (
          <span key={tick.ms} className="rtt-level" style={{ bottom: `${place(panel.scale, tick.ms) * 100}%` }}><small>{tick.label}</small></span>
        ))}
        <small className="rtt-unit">{unitOf(panel.scale)}</small>
      </div>
    </>
  );
}

const TIP_PX = 260;

function SampleTip({ hover, content, widthPx }: { hover: Hover; content: RttContent; widthPx: number }) {
  const { panel: { series: { points, input, printed } }, at, x, y } = hover;
  const left = x + TIP_PX + 16 > widthPx ? Math.max(x - TIP_PX - 14, 0) : x + 14;
  const read = useReadTime();
  const group = content.groupNames[points.group[at] ?? -1];
  const frame = printed ? `${input}:${points.sent_frame[at]}` : `${input} #${points.sent_frame[at]} → #${points.answer_frame[at] ?? "?"}`;
  return (
    <div role="tooltip" className="timeline-tip" style={{ left, top: y + 12, width: TIP_PX }}>
      <b>{ms(points.rtt_ms[at] ?? 0)}</b> {content.kinds[points.kind[at] ?? 0]}{group !== undefined && ", delayed"}
      <div className="timeline-tip-time">{read(points.t[at] ?? 0, 6)} · {frame}</div>
    </div>
  );
}

/** Ruler, lanes, canvas, overview and everything a pointer does to them. */
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type MouseEvent, type PointerEvent } from "react";

import type { Timeline, TimelineMark } from "../api/types";
import type { ChartContent, ChartView } from "./buildOption";
import { CursorLine } from "./CursorLine";
import { FoldButtons, FoldLabels, FoldStrips } from "./Folds";
import type { FoldedTraffic } from "./folds";
import { instanceAt, markAt } from "./hitTest";
import type { LensHandle } from "./lens";
import { Lens, LensHandles } from "./Lens";
import { Backdrop, CollapsedLanes, LaneHeaders, Ruler } from "./LaneBackdrop";
import { RULER_HEIGHT } from "./laneLayout";
import type { Instance } from "./marks";
import { MarkTip } from "./MarkTip";
import { MarkPulse, type Pulse } from "./MarkPulse";
import { OverviewHandle } from "./OverviewHandle";
import { pointAt, usePointedMark } from "./pointed";
import { SelectionBar } from "./SelectionBar";
import type { Tick } from "./ticks";
import { panBy, type Fold, type TimeAxis } from "./timeAxis";
import type { TimeWindow } from "./timeWindow";
import type { Tokens } from "./tokens";
import { useDrag, useWheel } from "./usePointer";
import type { LanesAsked } from "./useWindowData";

const TimelineChart = lazy(() => import("./TimelineChart"));

interface TimelineStageProps {
  view: ChartView;
  content: ChartContent;
  tokens: Tokens;
  ticks: Tick[];
  packetsInView: ReadonlyMap<string, number>;
  show: (w: TimeWindow) => void;
  zoomTo: (w: TimeWindow) => void;
  filterTo: (w: TimeWindow) => void;
  noteOn?: (w: TimeWindow) => void;
  linkTo: (w: TimeWindow) => string;
  pickMark: (mark: TimelineMark) => void;
  pickInstance: (instance: Instance) => void;
  /** Shows a mark's instance, an instance, or without one what is selected, over the whole width. */
  fit: (what: { finding: string; instance: number | null } | null) => void;
  /** A time as the ruler reads it. */
  read: (t: number) => string;
  traffic: (fold: Fold) => FoldedTraffic;
  lookInto: (fold: Fold) => void;
  moreLanes: { left: Timeline["lanes_left"]; open: boolean; toggle: () => void };
  pulse: Pulse | null;
  describe: (mark: TimelineMark) => string;
  handles: readonly LensHandle[];
  lens: TimeWindow | null;
  lanesAsked: LanesAsked;
  openLens: (window: TimeWindow | null) => void;
}

interface Hover {
  mark: TimelineMark;
  x: number;
  y: number;
}

export function TimelineStage(props: TimelineStageProps) {
  const { view, content, tokens, ticks, show, noteOn } = props;
  const { geometry, axis } = view;
  const w = axis.window;
  const { timeline } = content;
  const lanes = useRef<HTMLDivElement>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const surface = { axis, span: timeline.span, show };
  const pointed = usePointedMark();
  useEffect(() => () => pointAt(), []);
  useWheel(lanes, surface);
  const drag = useDrag(axis, (x, y) => {
    const mark = markAt(content.marks, geometry, axis, x, y);
    const instance = mark === null ? instanceAt(content.marks, content.findingRows.rows, geometry, axis, x, y) : null;
    if (mark !== null) props.pickMark(mark);
    else if (instance !== null) props.pickInstance(instance);
  });
  const hovered = useMemo(() => ({ ...view, currentMark: pointed ?? view.currentMark }), [view, pointed]);

  function look(event: PointerEvent<HTMLDivElement>) {
    drag.move(event);
    const box = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const mark = event.buttons === 0 ? markAt(content.marks, geometry, axis, x, y) : null;
    setHover(mark === null ? null : { mark, x, y });
    pointAt({ mark: mark?.id ?? null, t: axis.t(x) });
  }
  function leave() {
    setHover(null);
    pointAt();
  }
  function fit(event: MouseEvent<HTMLDivElement>) {
    const box = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    props.fit(markAt(content.marks, geometry, axis, x, y) ?? instanceAt(content.marks, content.findingRows.rows, geometry, axis, x, y));
  }

  return (
    <>
      <div className="timeline-stage" style={{ height: geometry.height + RULER_HEIGHT }}>
        <LaneHeaders geometry={geometry} inWindow={props.packetsInView}>
          <CollapsedLanes geometry={geometry} {...props.moreLanes} />
        </LaneHeaders>
        <div className="timeline-body" style={{ width: geometry.widthPx }}>
          <RulerPan {...surface}><Ruler ticks={ticks} axis={axis}><FoldLabels axis={axis} /></Ruler></RulerPan>
          <div className="timeline-plot">
            <Backdrop geometry={geometry} ticks={ticks} axis={axis} completeUntil={undecodedAfter(timeline)} />
            <div className="timeline-clip" style={{ width: geometry.widthPx, height: geometry.lanesBottom }}>
              <FoldStrips axis={axis} height={geometry.lanesBottom} traffic={props.traffic} />
            </div>
            <Suspense fallback={null}>
              <TimelineChart view={hovered} content={content} tokens={tokens} />
            </Suspense>
            <CursorLine axis={axis} height={geometry.lanesBottom} read={props.read} />
            {props.pulse !== null && <MarkPulse pulse={props.pulse} geometry={geometry} axis={axis} />}
            <div
              ref={lanes} className="timeline-lanes" data-testid="lanes" style={{ width: geometry.widthPx, height: geometry.lanesBottom }}
              onPointerDown={drag.down} onPointerMove={look} onPointerUp={drag.up} onPointerLeave={leave}
              onDoubleClick={fit}
            >
              {drag.stretch !== null && (
                <div className="timeline-stretch" style={{ left: drag.stretch.fromPx, width: drag.stretch.toPx - drag.stretch.fromPx }} />
              )}
              {drag.stretch !== null && drag.done && (
                <SelectionBar
                  stretch={drag.stretch} top={geometry.lanesBottom - 44} widthPx={geometry.widthPx} linkTo={props.linkTo}
                  onZoom={(range) => { drag.clear(); props.zoomTo(range); }}
                  onFilter={(range) => { drag.clear(); props.filterTo(range); }}
                  onNote={noteOn && ((range) => { drag.clear(); noteOn(range); })}
                />
              )}
              <FoldButtons axis={axis} height={geometry.lanesBottom} traffic={props.traffic} look={props.lookInto} />
              <LensHandles handles={props.handles} open={props.openLens} />
              {hover !== null && !drag.done && (
                <MarkTip {...hover} text={props.describe(hover.mark)} previous={previousOf(hover.mark, content.marks)} widthPx={geometry.widthPx} />
              )}
            </div>
            <OverviewHandle geometry={geometry} w={w} span={timeline.span} show={show} />
          </div>
        </div>
      </div>
      {props.lens !== null && (
        <Lens
          lens={props.lens} axis={axis} lanes={props.lanesAsked} t0={timeline.t0} pick={props.pickMark} close={() => props.openLens(null)}
          zoom={() => { if (props.lens) props.zoomTo(props.lens); }}
        />
      )}
    </>
  );
}

const undecodedAfter = (timeline: Timeline): number | null =>
  timeline.complete_until_ns !== null && timeline.complete_until_ns < timeline.span.to ? timeline.complete_until_ns : null;

function previousOf(mark: TimelineMark, marks: readonly TimelineMark[]): TimelineMark | null {
  const own = marks.filter((other) => other.finding === mark.finding && other.instance === mark.instance && other.glyph !== "guide");
  return own[own.findIndex((other) => other.id === mark.id) - 1] ?? null;
}

interface RulerPanProps {
  axis: TimeAxis;
  span: Timeline["span"];
  show: (w: TimeWindow) => void;
  children: React.ReactNode;
}

/** Dragging the ruler drags the paper under it. */
function RulerPan({ axis, span, show, children }: RulerPanProps) {
  const held = useRef<{ x: number; axis: TimeAxis } | null>(null);
  return (
    <div
      className="timeline-ruler-pan" style={{ height: RULER_HEIGHT }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        held.current = { x: event.clientX, axis };
      }}
      onPointerMove={(event) => {
        if (held.current !== null) show(panBy(held.current.axis, (held.current.x - event.clientX) / axis.widthPx, span));
      }}
      onPointerUp={() => (held.current = null)}
    >
      {children}
    </div>
  );
}


/** Ruler, lanes, canvas, overview and everything a pointer does to them. */
import { lazy, Suspense, useMemo, useRef, useState, type PointerEvent } from "react";

import type { Timeline, TimelineMark } from "../api/types";
import type { ChartContent, ChartView } from "./buildOption";
import { instanceAt, markAt } from "./hitTest";
import type { LensHandle } from "./lens";
import { Lens, LensHandles } from "./Lens";
import { Backdrop, LaneHeaders, Ruler } from "./LaneBackdrop";
import { RULER_HEIGHT } from "./laneLayout";
import type { Instance } from "./marks";
import { MarkTip } from "./MarkTip";
import { OverviewHandle } from "./OverviewHandle";
import { SelectionBar } from "./SelectionBar";
import type { Tick } from "./ticks";
import { panBy, type TimeWindow } from "./timeWindow";
import type { Tokens } from "./tokens";
import { useDrag, useWheel } from "./usePointer";

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
  fit: () => void;
  describe: (mark: TimelineMark) => string;
  handles: readonly LensHandle[];
  lens: TimeWindow | null;
  openLens: (window: TimeWindow | null) => void;
}

interface Hover {
  mark: TimelineMark;
  x: number;
  y: number;
}

export function TimelineStage(props: TimelineStageProps) {
  const { view, content, tokens, ticks, show, noteOn } = props;
  const { geometry, window: w } = view;
  const { timeline } = content;
  const lanes = useRef<HTMLDivElement>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const surface = { w, widthPx: geometry.widthPx, span: timeline.span, show };
  useWheel(lanes, surface);
  const drag = useDrag(w, geometry.widthPx, (x, y) => {
    const mark = markAt(content.marks, geometry, w, x, y);
    const instance = mark === null ? instanceAt(content.marks, geometry, w, x, y) : null;
    if (mark !== null) props.pickMark(mark);
    else if (instance !== null) props.pickInstance(instance);
  });
  const hovered = useMemo(() => ({ ...view, currentMark: hover?.mark.id ?? view.currentMark }), [view, hover?.mark.id]);

  function look(event: PointerEvent<HTMLDivElement>) {
    drag.move(event);
    const box = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const mark = event.buttons === 0 ? markAt(content.marks, geometry, w, x, y) : null;
    setHover(mark === null ? null : { mark, x, y });
  }

  return (
    <>
      <div className="timeline-stage" style={{ height: geometry.height + RULER_HEIGHT }}>
        <LaneHeaders geometry={geometry} inWindow={props.packetsInView} />
        <div className="timeline-body" style={{ width: geometry.widthPx }}>
          <RulerPan {...surface}><Ruler ticks={ticks} w={w} widthPx={geometry.widthPx} /></RulerPan>
          <div className="timeline-plot">
            <Backdrop geometry={geometry} ticks={ticks} w={w} completeUntil={undecodedAfter(timeline)} />
            <Suspense fallback={null}>
              <TimelineChart view={hovered} content={content} tokens={tokens} />
            </Suspense>
            <div
              ref={lanes} className="timeline-lanes" data-testid="lanes" style={{ width: geometry.widthPx, height: geometry.lanesBottom }}
              onPointerDown={drag.down} onPointerMove={look} onPointerUp={drag.up} onPointerLeave={() => setHover(null)}
              onDoubleClick={props.fit}
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
          lens={props.lens} w={w} widthPx={geometry.widthPx} t0={timeline.t0} pick={props.pickMark} close={() => props.openLens(null)}
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
  w: TimeWindow;
  widthPx: number;
  span: Timeline["span"];
  show: (w: TimeWindow) => void;
  children: React.ReactNode;
}

/** Dragging the ruler drags the paper under it. */
function RulerPan({ w, widthPx, span, show, children }: RulerPanProps) {
  const held = useRef<{ x: number; w: TimeWindow } | null>(null);
  return (
    <div
      className="timeline-ruler-pan" style={{ height: RULER_HEIGHT }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        held.current = { x: event.clientX, w };
      }}
      onPointerMove={(event) => {
        if (held.current !== null) show(panBy(held.current.w, (held.current.x - event.clientX) / widthPx, span));
      }}
      onPointerUp={() => (held.current = null)}
    >
      {children}
    </div>
  );
}


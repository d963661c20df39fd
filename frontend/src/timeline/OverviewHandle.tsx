/** The window on the strip of all data: drag it, drag its edges, or move them with the arrow keys. */
import { useRef, type KeyboardEvent, type PointerEvent } from "react";

import { offset, stretch } from "../format/offset";
import { OVERVIEW_HEIGHT, type ChartGeometry } from "./laneLayout";
import { MIN_DURATION_NS, windowEnd, type Span, type TimeWindow } from "./timeWindow";

interface OverviewHandleProps {
  geometry: ChartGeometry;
  w: TimeWindow;
  span: Span;
  show: (w: TimeWindow) => void;
}

type Part = "body" | "from" | "to";
const NARROWEST_PX = 4;
const KEY_STEP = 0.05;

export function OverviewHandle({ geometry, w, span, show }: OverviewHandleProps) {
  const grip = useRef<{ part: Part; x: number; w: TimeWindow } | null>(null);
  const nsPerPx = Math.max(span.to, 1) / Math.max(geometry.widthPx, 1);
  const left = Math.max(w.fromNs / nsPerPx, 0);
  const right = Math.min(windowEnd(w) / nsPerPx, geometry.widthPx);

  function grab(event: PointerEvent<HTMLDivElement>) {
    const box = event.currentTarget.getBoundingClientRect();
    const x = event.clientX - box.left;
    const part = partOf(event.target);
    event.currentTarget.setPointerCapture(event.pointerId);
    event.preventDefault();
    const onWindow = x >= left - 4 && x <= right + 4;
    const start = onWindow ? w : { ...w, fromNs: Math.round(x * nsPerPx - w.durationNs / 2) };
    if (!onWindow) show(start);
    grip.current = { part, x, w: start };
  }

  function drag(event: PointerEvent<HTMLDivElement>) {
    if (grip.current === null) return;
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    show(moved(grip.current.w, grip.current.part, Math.round((x - grip.current.x) * nsPerPx)));
  }

  function keys(part: Part) {
    return (event: KeyboardEvent) => {
      const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
      if (step === 0) return;
      event.preventDefault();
      event.stopPropagation();
      show(moved(w, part, Math.round(step * w.durationNs * KEY_STEP)));
    };
  }

  const edge = (part: "from" | "to", value: number, name: string) => (
    <span
      role="slider" tabIndex={0} data-part={part} className={`timeline-edge timeline-edge-${part}`} aria-label={name}
      aria-valuemin={0} aria-valuemax={span.to} aria-valuenow={value} aria-valuetext={offset(value)} onKeyDown={keys(part)}
    />
  );
  return (
    <div
      className="timeline-overview" style={{ top: geometry.overviewTop, width: geometry.widthPx, height: OVERVIEW_HEIGHT }}
      onPointerDown={grab} onPointerMove={drag} onPointerUp={() => (grip.current = null)}
      title={`All ${stretch(span.to)}`} data-testid="overview"
    >
      <div className="timeline-window" style={{ left, width: Math.max(right - left, NARROWEST_PX) }}>
        {edge("from", w.fromNs, "Window starts")}
        {edge("to", windowEnd(w), "Window ends")}
      </div>
    </div>
  );
}

function partOf(target: EventTarget): Part {
  const part = target instanceof HTMLElement ? target.dataset["part"] : undefined;
  return part === "from" || part === "to" ? part : "body";
}

/** The window after its body or one of its edges was moved by `ns`. */
function moved(w: TimeWindow, part: Part, ns: number): TimeWindow {
  if (part === "body") return { fromNs: w.fromNs + ns, durationNs: w.durationNs };
  if (part === "to") return { fromNs: w.fromNs, durationNs: Math.max(w.durationNs + ns, MIN_DURATION_NS) };
  const from = Math.min(w.fromNs + ns, windowEnd(w) - MIN_DURATION_NS);
  return { fromNs: from, durationNs: windowEnd(w) - from };
}

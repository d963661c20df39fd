/** Pointer and wheel over the lanes: the page keeps its plain wheel, a drag selects a stretch of time. */
import { useEffect, useRef, useState, type PointerEvent, type RefObject } from "react";

import { panBy, zoomAt, type TimeAxis } from "./timeAxis";
import type { Span, TimeWindow } from "./timeWindow";

/** A movement shorter than this is a click. */
const DRAG_PX = 4;
const WHEEL_STEP = 0.0022;

export interface Stretch {
  fromPx: number;
  toPx: number;
  range: TimeWindow;
}

interface Surface {
  axis: TimeAxis;
  span: Span;
  show: (w: TimeWindow) => void;
}

/** Ctrl/⌘ + wheel (and pinch) zooms at the pointer, Shift + wheel or a sideways swipe pans. */
export function useWheel(surface: RefObject<HTMLElement | null>, { axis, span, show }: Surface): void {
  const latest = useRef({ axis, span, show });
  useEffect(() => {
    latest.current = { axis, span, show };
  });
  useEffect(() => {
    const element = surface.current;
    if (element === null) return undefined;
    function turn(event: WheelEvent) {
      const now = latest.current;
      const sideways = event.shiftKey ? event.deltaX || event.deltaY : Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : 0;
      if (!event.ctrlKey && !event.metaKey && sideways === 0) return;
      event.preventDefault();
      if (!event.ctrlKey && !event.metaKey) return now.show(panBy(now.axis, sideways / now.axis.widthPx, now.span));
      const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
      const at = Math.min(Math.max(event.clientX - box.left, 0), now.axis.widthPx);
      now.show(zoomAt(now.axis, Math.exp(event.deltaY * WHEEL_STEP), at, now.span));
    }
    // React's own wheel listeners are passive and could not keep the page from zooming.
    element.addEventListener("wheel", turn, { passive: false });
    return () => element.removeEventListener("wheel", turn);
  }, [surface]);
}

export interface Drag {
  stretch: Stretch | null;
  done: boolean;
  clear: () => void;
  down: (event: PointerEvent<HTMLElement>) => void;
  move: (event: PointerEvent<HTMLElement>) => void;
  up: (event: PointerEvent<HTMLElement>) => void;
}

/** Drag over the lanes. `click` is called for a press that did not move. */
export function useDrag(axis: TimeAxis, click: (x: number, y: number) => void): Drag {
  const start = useRef<number | null>(null);
  const [stretch, setStretch] = useState<Stretch | null>(null);
  const [done, setDone] = useState(false);
  const xOf = (event: PointerEvent<HTMLElement>): number =>
    Math.min(Math.max(event.clientX - event.currentTarget.getBoundingClientRect().left, 0), axis.widthPx);
  const clear = () => {
    setStretch(null);
    setDone(false);
  };
  return {
    stretch, done, clear,
    down: (event) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      start.current = xOf(event);
      clear();
    },
    move: (event) => {
      if (start.current === null) return;
      const x = xOf(event);
      if (Math.abs(x - start.current) < DRAG_PX && stretch === null) return;
      const [fromPx, toPx] = [Math.min(x, start.current), Math.max(x, start.current)];
      const fromNs = axis.t(fromPx);
      setStretch({ fromPx, toPx, range: { fromNs, durationNs: Math.max(axis.t(toPx) - fromNs, 1) } });
    },
    up: (event) => {
      if (start.current === null) return;
      start.current = null;
      if (stretch !== null) return setDone(true);
      const box = event.currentTarget.getBoundingClientRect();
      click(event.clientX - box.left, event.clientY - box.top);
    },
  };
}

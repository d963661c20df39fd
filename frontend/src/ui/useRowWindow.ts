/** Scrolling of a long table: by the scrollbar, the wheel and the keys, for more rows than pixels can be high. */
import { useCallback, useEffect, useRef, useState, type KeyboardEvent } from "react";

import { firstRowAt, furthestFirst, isScaled, rowsInView, rowsOfKey, scrollTopOf, type View } from "./rowWindow";

/** A line of the wheel in browsers that count lines. */
const WHEEL_LINE_PX = 26;

export function useRowWindow(total: number, view: View) {
  const scroller = useRef<HTMLDivElement>(null);
  const expected_px = useRef(0);
  const [first, setFirst] = useState(0);
  const kept = Math.min(first, furthestFirst(total, view));

  const goTo = useCallback(
    (row: number) => {
      const next = Math.max(0, Math.min(row, furthestFirst(total, view)));
      setFirst(next);
      expected_px.current = Math.round(scrollTopOf(next, total, view));
      if (!scroller.current) return;
      scroller.current.scrollTop = expected_px.current;
      // The browser's own limit may lie a little before ours.
      expected_px.current = scroller.current.scrollTop;
    },
    [total, view],
  );

  const onScroll = useCallback(() => {
    const top_px = scroller.current?.scrollTop ?? 0;
    // A position that was set from a row says less than the row: a pixel may stand for several.
    if (isScaled(total, view.row_px) && Math.abs(top_px - expected_px.current) < 2) return;
    expected_px.current = top_px;
    setFirst(firstRowAt(top_px, total, view));
  }, [total, view]);

  const onKeyDown = useCallback(
    (event: KeyboardEvent<HTMLDivElement>) => {
      const rows = rowsOfKey(event.key, total, view);
      if (rows === null || event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      goTo(kept + rows);
    },
    [goTo, kept, total, view],
  );

  useWheelByRows(scroller, isScaled(total, view.row_px), (delta_px) => goTo(kept + delta_px / view.row_px));
  return { scroller, first: kept, rows: rowsInView(kept, total, view), goTo, onScroll, onKeyDown };
}

/** Where a pixel of the track stands for several rows, the wheel moves by rows instead. */
function useWheelByRows(scroller: React.RefObject<HTMLDivElement | null>, active: boolean, move: (delta_px: number) => void) {
  const latest = useRef(move);
  useEffect(() => {
    latest.current = move;
  }, [move]);
  useEffect(() => {
    const element = scroller.current;
    if (!element || !active) return undefined;
    function turn(event: WheelEvent) {
      if (event.ctrlKey || event.shiftKey || event.deltaY === 0) return;
      event.preventDefault();
      latest.current(event.deltaY * (event.deltaMode === 1 ? WHEEL_LINE_PX : 1));
    }
    element.addEventListener("wheel", turn, { passive: false });
    return () => element.removeEventListener("wheel", turn);
  }, [scroller, active]);
}

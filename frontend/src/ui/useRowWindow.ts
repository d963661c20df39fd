/** Scrolling of a long table: by the scrollbar, the wheel and the keys, for more rows than pixels can be high. */
import { useCallback, useEffect, useRef, useState, type KeyboardEvent } from "react";

import { firstRowAt, furthestFirst, isScaled, rowsInView, rowsOfKey, ROW_PX, scrollTopOf } from "./rowWindow";

/** A line of the wheel in browsers that count lines. */
const WHEEL_LINE_PX = 26;

export function useRowWindow(total: number, view_px: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const expected_px = useRef(0);
  const [first, setFirst] = useState(0);
  const kept = Math.min(first, furthestFirst(total, view_px));

  const goTo = useCallback(
    (row: number) => {
      const next = Math.max(0, Math.min(row, furthestFirst(total, view_px)));
      setFirst(next);
      expected_px.current = Math.round(scrollTopOf(next, total, view_px));
      if (scroller.current) scroller.current.scrollTop = expected_px.current;
    },
    [total, view_px],
  );

  const onScroll = useCallback(() => {
    const top_px = scroller.current?.scrollTop ?? 0;
    // A position that was set from a row says less than the row: a pixel may stand for several.
    if (isScaled(total) && Math.abs(top_px - expected_px.current) < 2) return;
    expected_px.current = top_px;
    setFirst(firstRowAt(top_px, total, view_px));
  }, [total, view_px]);

  const onKeyDown = useCallback(
    (event: KeyboardEvent<HTMLDivElement>) => {
      const rows = rowsOfKey(event.key, total, view_px);
      if (rows === null || event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      goTo(kept + rows);
    },
    [goTo, kept, total, view_px],
  );

  useWheelByRows(scroller, isScaled(total), (rows) => goTo(kept + rows));
  return { scroller, first: kept, rows: rowsInView(kept, total, view_px), goTo, onScroll, onKeyDown };
}

/** Where a pixel of the track stands for several rows, the wheel moves by rows instead. */
function useWheelByRows(scroller: React.RefObject<HTMLDivElement | null>, active: boolean, move: (rows: number) => void) {
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
      latest.current((event.deltaY * (event.deltaMode === 1 ? WHEEL_LINE_PX : 1)) / ROW_PX);
    }
    element.addEventListener("wheel", turn, { passive: false });
    return () => element.removeEventListener("wheel", turn);
  }, [scroller, active]);
}

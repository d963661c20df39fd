/** The timeline's state: the window lives here, the address follows it. */
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import { useAddress, useSetParameters } from "../ui/RouteLink";
import { clampWindow, sameWindow, type Span, type TimeWindow } from "./timeWindow";
import { readView, viewParameters, writeWindow, type Selection, type ViewState } from "./urlState";

const ADDRESS_DELAY_MS = 250;
const REMEMBERED = 50;

export interface TimelineView {
  state: ViewState;
  window: TimeWindow;
  /** Moves the window; remembered for `back`, written to the address without a history entry. */
  show: (w: TimeWindow) => void;
  /** The window before the last one. */
  back: () => void;
  /** Changes what is selected, filtered or shown: one history entry. */
  change: (changes: Partial<ViewState>) => void;
  select: (selection: Selection | null, w?: TimeWindow) => void;
}

/** `initial` is the window of an address that names none. */
export function useTimelineView(span: Span, initial: TimeWindow): TimelineView {
  const { path, parameters } = useAddress();
  const setParameters = useSetParameters();
  const fromAddress = useMemo(() => readView(parameters), [parameters]);
  const [window_, setWindow] = useState<TimeWindow>(() => clampWindow(fromAddress.window ?? initial, span));
  const current = useRef(window_);
  const pending = useRef<number | null>(null);
  const earlier = useRef<TimeWindow[]>([]);
  const written = useRef<string | null>(parameters["w"] ?? null);
  useAdoptedWindow(parameters["w"] ?? null, fromAddress, initial, span, { current, pending, written, setWindow });

  // While another page is on its way the address is that page's already.
  const unnamed = parameters["w"] === undefined && path.endsWith("/timeline");
  useEffect(() => {
    if (!unnamed) return;
    // The address always names the window: a copied link shows the same, and the chips above keep their place.
    written.current = writeWindow(current.current);
    setParameters({ w: written.current }, "replace");
  }, [unnamed, setParameters]);

  useEffect(() => () => {
    // A window that was not written yet belongs to no other page's address.
    if (pending.current !== null) window.clearTimeout(pending.current);
  }, []);

  const place = useCallback((w: TimeWindow) => {
    current.current = w;
    setWindow(w);
    if (pending.current !== null) window.clearTimeout(pending.current);
    pending.current = window.setTimeout(() => {
      pending.current = null;
      written.current = writeWindow(w);
      setParameters({ w: written.current }, "replace");
    }, ADDRESS_DELAY_MS);
  }, [setParameters]);

  const show = useCallback((wanted: TimeWindow) => {
    const w = clampWindow(wanted, span);
    if (sameWindow(w, current.current)) return;
    earlier.current = [...earlier.current, current.current].slice(-REMEMBERED);
    place(w);
  }, [place, span]);

  const back = useCallback(() => {
    const previous = earlier.current.pop();
    if (previous !== undefined) place(previous);
  }, [place]);

  const change = useCallback((changes: Partial<ViewState>) => {
    if (pending.current !== null) window.clearTimeout(pending.current);
    pending.current = null;
    const w = clampWindow(changes.window ?? current.current, span);
    if (!sameWindow(w, current.current)) earlier.current = [...earlier.current, current.current].slice(-REMEMBERED);
    current.current = w;
    setWindow(w);
    written.current = writeWindow(w);
    setParameters(viewParameters({ ...fromAddress, ...changes, window: w }), "push");
  }, [fromAddress, setParameters, span]);

  const select = useCallback(
    (selection: Selection | null, w?: TimeWindow) => change(w === undefined ? { selection } : { selection, window: w }),
    [change],
  );
  return { state: fromAddress, window: window_, show, back, change, select };
}

interface WindowCells {
  current: { current: TimeWindow };
  pending: { current: number | null };
  written: { current: string | null };
  setWindow: (w: TimeWindow) => void;
}

/** Takes over a window that came with the address (Back, a link), not one we wrote ourselves. */
function useAdoptedWindow(text: string | null, address: ViewState, initial: TimeWindow, span: Span, cells: WindowCells) {
  const { current, pending, written, setWindow } = cells;
  useEffect(() => {
    if (text === written.current) return;
    written.current = text;
    if (pending.current !== null) window.clearTimeout(pending.current);
    pending.current = null;
    const w = clampWindow(address.window ?? initial, span);
    current.current = w;
    setWindow(w);
  }, [text, address, initial, span, current, pending, written, setWindow]);
}

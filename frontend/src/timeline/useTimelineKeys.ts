/** Single keys of the timeline. By position (`code`) where the position matters, so that AZERTY works. */
import { useEffect, useRef } from "react";

export interface KeyActions {
  zoomIn: (fast: boolean) => void;
  zoomOut: (fast: boolean) => void;
  left: (fast: boolean) => void;
  right: (fast: boolean) => void;
  nextMark: () => void;
  previousMark: () => void;
  nextInstance: () => void;
  previousInstance: () => void;
  fit: () => void;
  all: () => void;
  back: () => void;
  table: () => void;
  timeReference: () => void;
  reading: () => void;
  guides: () => void;
  copyLink: () => void;
  filter: () => void;
  keys: () => void;
  open: () => void;
  leave: () => void;
}

type Action = keyof KeyActions;

export const KEY_WORDS: [string, string][] = [
  ["W S", "zoom in, zoom out (Shift: faster)"], ["A D", "pan (Shift: faster)"], [", .", "previous, next mark"],
  ["[ ]", "previous, next instance of the finding"], ["F", "fit the selection"], ["0", "all data"],
  ["Backspace", "previous window"], ["T", "table instead of chart"], ["M", "time reference at the mark"],
  ["R", "ruler: since start, since mark, wall clock"], ["G", "guides on, off"], ["Y", "copy link"], ["/", "filter"],
  ["Enter", "open the mark"], ["Esc", "leave, close"], ["?", "these keys"],
];

const BY_CODE: Record<string, Action> = { KeyW: "zoomIn", KeyS: "zoomOut", KeyA: "left", KeyD: "right" };
const BY_KEY: Record<string, Action> = {
  ".": "nextMark", ",": "previousMark", "]": "nextInstance", "[": "previousInstance", f: "fit", "0": "all",
  Backspace: "back", t: "table", m: "timeReference", r: "reading", g: "guides", y: "copyLink", "/": "filter", "?": "keys",
  Escape: "leave",
};
/** Only while the chart itself has the focus: elsewhere these keys have their own meaning. */
const ON_CHART: Record<string, Action> = { ArrowRight: "nextMark", ArrowLeft: "previousMark", Enter: "open" };

const WRITING = "input, textarea, select, [contenteditable='true']";

export function actionOf(event: KeyboardEvent, onChart: boolean): Action | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return null;
  if (event.target instanceof Element && event.target.closest(WRITING) !== null) return null;
  const byChart = onChart ? ON_CHART[event.key] : undefined;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return byChart ?? BY_CODE[event.code] ?? BY_KEY[key] ?? null;
}

export function useTimelineKeys(chart: { current: HTMLElement | null }, actions: KeyActions): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    function press(event: KeyboardEvent) {
      const action = actionOf(event, event.target === chart.current);
      if (action === null) return;
      if (action !== "leave") event.preventDefault();
      latest.current[action](event.shiftKey);
    }
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [chart]);
}

/** Keys of the timeline. By position (`code`) where the position matters, so that AZERTY works. */
import { useEffect, useRef } from "react";

import { settingsNow } from "../settings/settings";

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
  lens: () => void;
  fold: () => void;
  pin: () => void;
  note: () => void;
  open: () => void;
  leave: () => void;
}

type Action = keyof KeyActions;

const BY_CODE: Record<string, Action> = { KeyW: "zoomIn", KeyS: "zoomOut", KeyA: "left", KeyD: "right" };
const BY_KEY: Record<string, Action> = {
  ".": "nextMark", ",": "previousMark", "]": "nextInstance", "[": "previousInstance", f: "fit", "0": "all",
  t: "table", m: "timeReference", r: "reading", y: "copyLink", l: "lens", z: "fold", p: "pin", n: "note",
};
/** Only while the chart itself has the focus: elsewhere these keys have their own meaning. */
const ON_CHART: Record<string, Action> = { ArrowRight: "nextMark", ArrowLeft: "previousMark", Enter: "open" };

/** Not characters: they stay when single keys are turned off. */
const ALWAYS: Record<string, Action> = { Backspace: "back", Escape: "leave" };

const WRITING = "input, textarea, select, [contenteditable='true']";

export function actionOf(event: KeyboardEvent, onChart: boolean, singleKeys = settingsNow().singleKeys): Action | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return null;
  if (event.target instanceof Element && event.target.closest(`${WRITING}, dialog`) !== null) return null;
  const always = (onChart ? ON_CHART[event.key] : undefined) ?? ALWAYS[event.key];
  if (always !== undefined || !singleKeys) return always ?? null;
  // Small, G waits for the letter of a page.
  if (event.key === "G") return "guides";
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return BY_CODE[event.code] ?? BY_KEY[key] ?? null;
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

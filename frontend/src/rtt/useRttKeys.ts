/** Single keys of the chart, the same as on the timeline. */
import { useEffect, useRef } from "react";

import { actionOf } from "../timeline/useTimelineKeys";

export type RttActions = Partial<Record<NonNullable<ReturnType<typeof actionOf>>, (fast: boolean) => void>>;

export function useRttKeys(chart: { current: HTMLElement | null }, actions: RttActions): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    function press(event: KeyboardEvent) {
      const name = actionOf(event, event.target === chart.current);
      const action = name === null ? undefined : latest.current[name];
      if (action === undefined) return;
      if (name !== "leave") event.preventDefault();
      action(event.shiftKey);
    }
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [chart]);
}

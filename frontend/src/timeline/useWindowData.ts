/** The server's answer for the window: asked for three windows at a time, and only when it must be. */
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { useTimeline } from "../api/queries";
import type { Timeline } from "../api/types";
import { requestFor, type Span, type TimeWindow } from "./timeWindow";

const QUIET_MS = 120;

export function useWindowData(w: TimeWindow, widthPx: number, span: Span): UseQueryResult<Timeline> {
  const [request, setRequest] = useState(() => requestFor(w, widthPx, span, null));
  const next = requestFor(w, widthPx, span, request);
  useEffect(() => {
    if (next === request) return undefined;
    const timer = window.setTimeout(() => setRequest(next), QUIET_MS);
    return () => window.clearTimeout(timer);
  }, [next, request]);
  return useTimeline(request);
}

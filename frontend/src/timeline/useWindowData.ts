/** The server's answer for the window: asked for three windows at a time, and only when it must be. */
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";

import { useTimeline } from "../api/queries";
import type { Timeline, TimelineMark } from "../api/types";
import { chooseFolds, foldedRequest, shortestGap, trafficIn, type FoldedRequest, type FoldedTraffic } from "./folds";
import { foldedAxis, type Fold, type TimeAxis } from "./timeAxis";
import type { lanesAsked } from "./urlState";
import { requestFor, type Span, type TimeWindow } from "./timeWindow";

const QUIET_MS = 120;

/** Lanes as the server is asked for them. */
export type LanesAsked = ReturnType<typeof lanesAsked>;

interface WindowAsked {
  window: TimeWindow;
  widthPx: number;
  overview: Timeline;
  lanes: LanesAsked;
  folded: boolean;
  /** Marks that the page alone draws, and that keep their time open. */
  drawn: (marks: readonly TimelineMark[]) => readonly TimelineMark[];
}

export interface WindowData {
  query: UseQueryResult<Timeline>;
  timeline: Timeline;
  axis: TimeAxis;
  traffic: (fold: Fold) => FoldedTraffic;
}

export function useWindowData({ window: w, widthPx, overview, lanes, folded, drawn }: WindowAsked): WindowData {
  const { span } = overview;
  const [request, setRequest] = useState(() => requestFor(w, widthPx, span, null));
  useSettled(requestFor(w, widthPx, span, request), request, setRequest);
  const query = useTimeline({ ...request, ...lanes, gaps: folded ? shortestGap(request, widthPx) : undefined });
  const whole = query.data ?? overview;
  const folds = useMemo(() => (folded ? chooseFolds(whole.gaps, drawn(whole.marks), w) : []), [folded, whole, drawn, w]);
  const axis = useMemo(() => foldedAxis(w, widthPx, folds), [w, widthPx, folds]);
  const open = useOpenTime(axis, span, lanes);
  const timeline = open ?? whole;
  const traffic = (fold: Fold): FoldedTraffic => trafficIn(fold, [whole, overview]);
  return { query, timeline, axis, traffic };
}

/** What is not folded, as finely as it is drawn; null without folds and until it is there. */
function useOpenTime(axis: TimeAxis, span: Span, lanes: LanesAsked): Timeline | null {
  const [asked, setAsked] = useState<FoldedRequest | null>(null);
  const next = axis.folds.length > 0 ? foldedRequest(axis, span, asked) : null;
  useSettled(next, asked, setAsked);
  const { data, isPlaceholderData } = useTimeline({ ...(asked ?? { px: 1 }), ...lanes }, asked !== null);
  return next !== null && next === asked && !isPlaceholderData ? (data ?? null) : null;
}

/** Asks for the next thing once nothing has changed for a moment. */
function useSettled<Request>(next: Request, asked: Request, ask: (request: Request) => void): void {
  useEffect(() => {
    if (next === asked) return undefined;
    const timer = window.setTimeout(() => ask(next), QUIET_MS);
    return () => window.clearTimeout(timer);
  }, [next, asked, ask]);
}

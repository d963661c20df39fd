/** Progress of a running analysis: server-sent events, and polling when they do not come through. */
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { useInvestigation, useProgress } from "./queries";
import { lookAgain } from "./reachability";
import { askAgain } from "./refetch";
import { useSource } from "./source";
import type { Progress } from "./types";

function isOver(progress: Progress): boolean {
  return progress.analysis === "finished" || progress.analysis === "failed" || progress.analysis === "cancelled";
}

/** What the pages show is asked for again once the analysis has moved on; its report is there at the end only. */
export function refresh(queries: QueryClient, key: string, before: Progress | undefined, now: Progress) {
  const moved = before?.analysis !== now.analysis || before?.stage?.number !== now.stage?.number;
  if (!moved) return;
  const still = isOver(now) ? ["progress"] : ["progress", "report"];
  void askAgain(queries, { predicate: (query) => query.queryKey[0] === key && !still.includes(String(query.queryKey[1])) });
  void askAgain(queries, { queryKey: ["investigations"] });
}

/**
 * The investigation itself may be the first to say that its analysis is over, and end the stream with that: what was
 * asked for before has then to be asked for again.
 */
function useResultsAtTheEnd(active: boolean) {
  const source = useSource();
  const queries = useQueryClient();
  const wasActive = useRef(false);
  useEffect(() => {
    const ended = wasActive.current && !active;
    wasActive.current = active;
    const known = ["progress", "investigation"];
    if (ended) void askAgain(queries, { predicate: (query) => query.queryKey[0] === source.key && !known.includes(String(query.queryKey[1])) });
  }, [active, queries, source.key]);
}

/** Keeps the `progress` query of the investigation around it fresh while an analysis runs. */
export function useLiveProgress(): Progress | undefined {
  const source = useSource();
  const queries = useQueryClient();
  const investigation = useInvestigation().data;
  const [streaming, setStreaming] = useState(false);
  const active = investigation?.analysis === "queued" || investigation?.analysis === "running";
  useResultsAtTheEnd(active);
  const polled = useProgress(active && !streaming).data;

  useEffect(() => {
    if (polled) refresh(queries, source.key, { ...polled, analysis: investigation?.analysis ?? null }, polled);
  }, [polled, queries, source.key, investigation?.analysis]);

  useEffect(() => {
    if (!active || typeof EventSource === "undefined") return undefined;
    const events = new EventSource(`${source.api}/events`);
    events.addEventListener("progress", (event) => {
      const now = JSON.parse(event.data as string) as Progress;
      const before = queries.getQueryData<Progress>([source.key, "progress"]);
      setStreaming(true);
      queries.setQueryData([source.key, "progress"], now);
      refresh(queries, source.key, before, now);
      if (isOver(now)) events.close();
    });
    events.addEventListener("unavailable", () => void lookAgain());
    events.onerror = () => setStreaming(false);
    return () => {
      setStreaming(false);
      events.close();
    };
  }, [active, queries, source.api, source.key]);

  return polled;
}

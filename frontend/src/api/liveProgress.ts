/** Progress of a running analysis: server-sent events, and polling when they do not come through. */
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { useInvestigation, useProgress } from "./queries";
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

/** Keeps the `progress` query of the investigation around it fresh while an analysis runs. */
export function useLiveProgress(): Progress | undefined {
  const source = useSource();
  const queries = useQueryClient();
  const investigation = useInvestigation().data;
  const [streaming, setStreaming] = useState(false);
  const active = investigation?.analysis === "queued" || investigation?.analysis === "running";
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
    events.onerror = () => setStreaming(false);
    return () => {
      setStreaming(false);
      events.close();
    };
  }, [active, queries, source.api, source.key]);

  return polled;
}

import { useQuery } from "@tanstack/react-query";

import { ask } from "../api/http";
import type { Investigation, Page } from "../api/types";

const ACTIVE_POLL_MS = 2000;
const IDLE_POLL_MS = 15_000;

function isRunning(investigation: Investigation): boolean {
  return investigation.analysis === "queued" || investigation.analysis === "running";
}

/** Investigations under analysis; asked often only while there are some. */
export function useRunningInvestigations(): Investigation[] {
  const list = useQuery({
    queryKey: ["investigations"],
    queryFn: ({ signal }) => ask<Page<Investigation>>("/api/v1/investigations", { signal }),
    refetchInterval: (query) => (query.state.data?.items.some(isRunning) ? ACTIVE_POLL_MS : IDLE_POLL_MS),
  });
  return list.data?.items.filter(isRunning) ?? [];
}

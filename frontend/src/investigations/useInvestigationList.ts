/** The list of investigations, filtered by the server, page after page. */
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";

import { ask, queryString } from "../api/http";
import type { Investigation, Page } from "../api/types";

export interface InvestigationFilter {
  q: string | null;
  kind: string | null;
  host: string | null;
}

const isRunning = ({ analysis }: Investigation) => analysis === "queued" || analysis === "running";
const ACTIVE_POLL_MS = 2000;
const IDLE_POLL_MS = 15_000;

export function useInvestigationList(filter: InvestigationFilter) {
  return useInfiniteQuery({
    queryKey: ["investigations", "list", filter],
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: ({ signal, pageParam }) =>
      ask<Page<Investigation>>(`/api/v1/investigations${queryString({ ...filter, cursor: pageParam })}`, { signal }),
    getNextPageParam: (last) => last.next_cursor ?? null,
    refetchInterval: (query) =>
      query.state.data?.pages.some((page) => page.items.some(isRunning)) ? ACTIVE_POLL_MS : IDLE_POLL_MS,
  });
}

/** Connections page by page, each asked for when it is scrolled to. */
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";

import { ask, queryString } from "../api/http";
import type { ConnectionsFilter } from "../api/queries";
import { useSource } from "../api/source";
import type { ConnectionPage } from "../api/types";

const PAGE_ROWS = 200;

export function useConnectionPages(filter: ConnectionsFilter) {
  const source = useSource();
  const parameters = { ...filter, limit: PAGE_ROWS };
  return useInfiniteQuery({
    queryKey: [source.key, "connection-pages", parameters],
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    getNextPageParam: (page: ConnectionPage) => page.next_cursor ?? null,
    queryFn: ({ pageParam, signal }) =>
      ask<ConnectionPage>(`${source.api}/connections${queryString({ ...parameters, cursor: pageParam })}`, {
        headers: source.headers, signal,
      }),
  });
}

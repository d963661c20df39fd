/** Runs of pipelines: labels with their newest runs, and all runs of one label. */
import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from "@tanstack/react-query";

import { ask, queryString } from "./http";
import type { components } from "./schema";
import type { Page } from "./types";

export type Run = components["schemas"]["Run"];
export type RunGroup = components["schemas"]["RunGroup"];
type Paged<Item> = Page<Item> & { next_cursor: string | null };

function usePaged<Item>(key: string[], address: (cursor: string | null) => string, first: string | null, enabled = true) {
  return useInfiniteQuery({
    queryKey: key,
    enabled,
    initialPageParam: first,
    queryFn: ({ signal, pageParam }) => ask<Paged<Item>>(address(pageParam), { signal }),
    getNextPageParam: (last) => last.next_cursor,
    select: (data: InfiniteData<Paged<Item>, string | null>): Item[] => data.pages.flatMap((page) => page.items),
  });
}

/** Labels, the one with the newest run first. */
export const useRunGroups = (): UseInfiniteQueryResult<RunGroup[]> =>
  usePaged<RunGroup>(["runs"], (cursor) => `/api/v1/runs${queryString({ cursor })}`, null);

/** The runs of a label behind those that its group lists; asked for when `wanted`. */
export const useRunsBehind = (group: RunGroup, wanted: boolean): UseInfiniteQueryResult<Run[]> =>
  usePaged<Run>(
    ["runs", group.label, group.next_cursor ?? ""],
    (cursor) => `/api/v1/runs/of-label${queryString({ label: group.label, cursor })}`,
    group.next_cursor,
    wanted && group.next_cursor !== null,
  );

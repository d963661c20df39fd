/** HTTP requests: by shape, one by one, and one of them taken apart. */
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";

import { ask, queryString } from "./http";
import { orWhyNot } from "./roundTrips";
import type { components } from "./schema";
import { useSource } from "./source";

type Schemas = components["schemas"];
export type RequestGroups = Schemas["RequestGroups"];
export type RequestGroup = Schemas["RequestGroup"];
export type RequestDetail = Schemas["RequestDetail"];
export type Segment = Schemas["Segment"];
export type HttpRequest = Schemas["HttpRequest"];

const FRESH_MS = 60_000;

export interface RequestsAsked {
  q: string | null;
  from: number | null;
  to: number | null;
}

/** The groups, or the sentence why there are none before an analysis has finished. */
export function useRequestGroups(asked: RequestsAsked): UseQueryResult<RequestGroups | string> {
  const source = useSource();
  const query = queryString({ ...asked });
  return useQuery({
    queryKey: [source.key, "request-groups", query],
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    queryFn: ({ signal }) => orWhyNot(ask<RequestGroups>(`${source.api}/requests/shapes${query}`, { headers: source.headers, signal })),
  });
}

/** One request with its segments. */
export function useRequest(rid: number): UseQueryResult<RequestDetail> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "request", rid],
    staleTime: FRESH_MS,
    queryFn: ({ signal }) => ask<RequestDetail>(`${source.api}/requests/${rid}`, { headers: source.headers, signal }),
  });
}

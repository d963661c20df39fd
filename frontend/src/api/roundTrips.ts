/** Round trips: the chart's samples or their spread, groups that were held together, single samples. */
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";

import { ask, Problem, queryString } from "./http";
import type { components } from "./schema";
import { shows, useSource } from "./source";

type Schemas = components["schemas"];
export type RoundTripChart = Schemas["RoundTripChart"];
export type RoundTripSeries = Schemas["RoundTripSeries"];
export type HeldGroup = Schemas["HeldGroup"];
export type HeldShare = Schemas["HeldShare"];
export type RoundTrip = Schemas["RoundTrip"];

const FRESH_MS = 60_000;

export interface ChartRequest {
  from: number | null;
  to: number | null;
  px: number;
  kinds: readonly string[];
  series: readonly string[];
}

const repeated = (name: string, values: readonly string[]): string => values.map((value) => `&${name}=${encodeURIComponent(value)}`).join("");

/** The chart's data, or the sentence why there are none before an analysis has finished. */
export function useRoundTripChart(request: ChartRequest): UseQueryResult<RoundTripChart | string> {
  const source = useSource();
  const query = queryString({ px: request.px, from: request.from, to: request.to }) + repeated("kind", request.kinds) + repeated("series", request.series);
  return useQuery({
    queryKey: [source.key, "rtt-chart", query],
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    queryFn: ({ signal }) => orWhyNot(ask<RoundTripChart>(`${source.api}/rtt/chart${query}`, { headers: source.headers, signal })),
  });
}

/** Before an analysis has finished there is nothing, and that is no failure. */
export async function orWhyNot<Answer>(answer: Promise<Answer>): Promise<Answer | string> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return error.message;
    throw error;
  }
}

export function useHeldGroups(enabled: boolean): UseQueryResult<Schemas["HeldGroupList"]> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "held-groups"],
    enabled,
    staleTime: FRESH_MS,
    queryFn: ({ signal }) => ask<Schemas["HeldGroupList"]>(`${source.api}/rtt/groups`, { headers: source.headers, signal }),
  });
}

/** What one stall held and what it did not. */
export function useHeldShare(finding: string, instance: number): UseQueryResult<HeldShare> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "held-share", finding, instance],
    staleTime: FRESH_MS,
    queryFn: ({ signal }) =>
      ask<HeldShare>(`${source.api}/rtt/groups/${encodeURIComponent(finding)}/${instance}`, { headers: source.headers, signal }),
  });
}

/** How many rows a list of the investigation has. */
export function useTotal(path: "/rtt" | "/requests"): number | undefined {
  const source = useSource();
  const answer = useQuery({
    queryKey: [source.key, "total", path],
    staleTime: FRESH_MS,
    retry: false,
    enabled: shows(source, path),
    queryFn: ({ signal }) => ask<{ total: number }>(`${source.api}${path}?limit=1`, { headers: source.headers, signal }),
  });
  return answer.data?.total;
}

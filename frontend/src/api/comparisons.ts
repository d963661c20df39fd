/** Comparisons of two investigations, and all investigations to choose from. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";

import { ask, queryString } from "./http";
import type { components } from "./schema";
import type { Investigation, Page, Report } from "./types";

export type Comparison = components["schemas"]["Comparison"];
export type ComparisonSummary = components["schemas"]["ComparisonSummary"];
export type Outcome = Comparison["verdict"];
export type State = Comparison["findings"][number]["state"];

const PAGE_ROWS = 200;
const UNCHANGED_MS = 60_000;

const addressOf = (candidate: string) => `/api/v1/investigations/${candidate}/comparisons`;

/** The newest investigations. */
export function useAllInvestigations(): UseQueryResult<Investigation[]> {
  return useQuery({
    queryKey: ["investigations", "all"],
    queryFn: async ({ signal }) =>
      (await ask<Page<Investigation>>(`/api/v1/investigations${queryString({ limit: PAGE_ROWS })}`, { signal })).items,
  });
}

/** All of which this investigation is the candidate, the newest first. */
export function useComparisonsOf(candidate: string): UseQueryResult<ComparisonSummary[]> {
  return useQuery({
    queryKey: ["comparisons", candidate],
    queryFn: async ({ signal }) => (await ask<Page<ComparisonSummary>>(addressOf(candidate), { signal })).items,
  });
}

/** The kept comparison of the two as they are now; made when there is none, which a viewer may not. */
export function useComparison(base: string, candidate: string): UseQueryResult<Comparison> {
  return useQuery({
    queryKey: ["comparison", base, candidate],
    staleTime: UNCHANGED_MS,
    queryFn: async ({ signal }) => {
      const kept = (await ask<Page<ComparisonSummary>>(addressOf(candidate), { signal })).items;
      const current = kept.find((each) => each.base_id === base && each.up_to_date);
      const made = current ?? (await ask<ComparisonSummary>(addressOf(candidate), { method: "POST", json: { base }, signal }));
      return ask<Comparison>(`${addressOf(candidate)}/${made.id}`, { signal });
    },
  });
}

/** One side as the list has it. */
export function useInvestigationOf(id: string): UseQueryResult<Investigation> {
  return useQuery({
    queryKey: [`own:${id}`, "investigation"],
    queryFn: ({ signal }) => ask<Investigation>(`/api/v1/investigations/${id}`, { signal }),
  });
}

/** One side's report, for the frames behind its findings. */
export function useReportOf(id: string): UseQueryResult<Report> {
  return useQuery({
    queryKey: [`own:${id}`, "report"],
    staleTime: UNCHANGED_MS,
    queryFn: ({ signal }) => ask<Report>(`/api/v1/investigations/${id}/report/outline`, { signal }),
  });
}

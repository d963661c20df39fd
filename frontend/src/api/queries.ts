/** TanStack Query hooks over one investigation, its own or shared. */
import { keepPreviousData, useInfiniteQuery, useQuery, type UseQueryResult } from "@tanstack/react-query";

import { ask, Problem, queryString } from "./http";
import { useSource } from "./source";
import type {
  CauseRule, Connection, ConnectionDetail, DetectorRule, DumpLines, EvidenceFile, Finding, FindingInstance, Frame, Investigation, KernelDump, Page, Progress, Report,
  SeriesList, Timeline,
} from "./types";

const FINISHED_IS_FRESH_MS = 60_000;

export function useInvestigation(): UseQueryResult<Investigation> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "investigation"],
    queryFn: ({ signal }) =>
      ask<Investigation>(source.readOnly ? `${source.api}/investigation` : source.api, {
        headers: source.headers,
        signal,
      }),
  });
}

/** One's own investigation `id`, from outside of its pages. */
export function useOwnInvestigation(id: string | null): UseQueryResult<Investigation> {
  return useQuery({
    queryKey: [`own:${id}`, "investigation"],
    enabled: id !== null,
    queryFn: ({ signal }) => ask<Investigation>(`/api/v1/investigations/${id}`, { signal }),
  });
}

/** Its title; nothing while it is not known. */
export function useLabel(id: string | null): string | undefined {
  return useOwnInvestigation(id).data?.label;
}

/** The outline of the report, or null while no analysis has finished. */
export function useReport(): UseQueryResult<Report | null> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "report"],
    staleTime: FINISHED_IS_FRESH_MS,
    queryFn: async ({ signal }) => {
      try {
        return await ask<Report>(`${source.api}/report/outline`, { headers: source.headers, signal });
      } catch (error) {
        if (error instanceof Problem && (error.status === 404 || error.status === 409)) return null;
        throw error;
      }
    },
  });
}

const findingPath = (id: string) => `/report/findings/${encodeURIComponent(id)}`;

/** One finding with all its evidence, or null where the present analysis has none of that name. */
export function useFinding(id: string): UseQueryResult<Finding | null> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "finding", id],
    staleTime: FINISHED_IS_FRESH_MS,
    queryFn: async ({ signal }) => {
      try {
        return await ask<Finding>(source.api + findingPath(id), { headers: source.headers, signal });
      } catch (error) {
        if (error instanceof Problem && (error.status === 404 || error.status === 409)) return null;
        throw error;
      }
    },
  });
}

/** Where the rows of a finding's lists and tables are asked for. */
export const findingRowsPath = (id: string): string => `${findingPath(id)}/rows`;

/** An instance of a finding by its number; null for none. */
export function useFindingInstance(id: string, instance: number | null): UseQueryResult<FindingInstance | null> {
  const source = useSource();
  const query = queryString({ part: "instances", offset: (instance ?? 1) - 1, limit: 1 });
  return useQuery({
    queryKey: [source.key, "finding-instance", id, instance],
    enabled: instance !== null && instance >= 1,
    staleTime: FINISHED_IS_FRESH_MS,
    queryFn: async ({ signal }) =>
      (await ask<Page<FindingInstance>>(`${source.api}${findingRowsPath(id)}${query}`, { headers: source.headers, signal })).items[0] ?? null,
  });
}

const FINDINGS_A_PAGE = 100;

/** Findings behind the `known` first ones, a page at a time when asked for. */
export function useFurtherFindings(known: number) {
  const source = useSource();
  return useInfiniteQuery({
    queryKey: [source.key, "findings", known],
    enabled: false,
    staleTime: FINISHED_IS_FRESH_MS,
    initialPageParam: known,
    getNextPageParam: (page: Page<Finding>, _all, from: number) => (from + page.items.length < (page.total ?? 0) ? from + page.items.length : null),
    queryFn: ({ pageParam, signal }) =>
      ask<Page<Finding>>(`${source.api}/report/findings${queryString({ offset: pageParam, limit: FINDINGS_A_PAGE })}`, { headers: source.headers, signal }),
  });
}

export function useFiles(): UseQueryResult<EvidenceFile[]> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "files"],
    queryFn: async ({ signal }) =>
      (await ask<Page<EvidenceFile>>(`${source.api}/files`, { headers: source.headers, signal })).items,
  });
}

export interface TimelineWindow {
  /** ns after t0; left out = all data. */
  from?: number;
  to?: number;
  /** Width to fill; the server picks buckets no narrower than a pixel. */
  px: number;
  finding?: string | null;
  /** Lanes of connections instead of capture points, and how many of them. */
  group?: "connection" | "pod" | undefined;
  lanes?: number | undefined;
  /** Lists time without marks longer than that, in ns. */
  gaps?: number | undefined;
  /** `from~to,from~to`: stretches whose traffic is left out. */
  fold?: string | undefined;
}

export function useTimeline(view: TimelineWindow, enabled = true): UseQueryResult<Timeline> {
  const source = useSource();
  const query = queryString({ ...view });
  return useQuery({
    enabled,
    queryKey: [source.key, "timeline", query],
    placeholderData: keepPreviousData,
    staleTime: FINISHED_IS_FRESH_MS,
    queryFn: ({ signal }) =>
      ask<Timeline>(`${source.api}/timeline${query}`, { headers: source.headers, signal }),
  });
}

export interface ConnectionsFilter {
  sort?: "start" | "connect_ms" | "tries" | "bytes" | "network_ratio" | "receiver_window_ratio";
  order?: "asc" | "desc";
  outcome?: string | null;
  finding?: string | null;
  q?: string | null;
  from?: number | null;
  to?: number | null;
  limit?: number;
  cursor?: string | null;
}

export function useConnections(filter: ConnectionsFilter, enabled = true): UseQueryResult<Page<Connection>> {
  const source = useSource();
  const query = queryString({ ...filter });
  return useQuery({
    queryKey: [source.key, "connections", query],
    enabled,
    placeholderData: keepPreviousData,
    staleTime: FINISHED_IS_FRESH_MS,
    queryFn: ({ signal }) =>
      ask<Page<Connection>>(`${source.api}/connections${query}`, { headers: source.headers, signal }),
  });
}

export function useConnection(cid: string | number): UseQueryResult<ConnectionDetail> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "connection", String(cid)],
    staleTime: FINISHED_IS_FRESH_MS,
    queryFn: ({ signal }) =>
      ask<ConnectionDetail>(`${source.api}/connections/${cid}`, { headers: source.headers, signal }),
  });
}

/** One frame's decoded columns. `input` is the input's name. */
export function useFrame(input: string, frame: number): UseQueryResult<Frame> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "frame", input, frame],
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      ask<Frame>(`${source.api}/frames/${encodeURIComponent(input)}/${frame}`, { headers: source.headers, signal }),
  });
}

/** Lines of a text dump, 1-based, both ends included. */
export function useDumpLines(input: string, from: number, to: number): UseQueryResult<DumpLines> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "lines", input, from, to],
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      ask<DumpLines>(`${source.api}/files/${encodeURIComponent(input)}/lines${queryString({ from, to })}`, {
        headers: source.headers,
        signal,
      }),
  });
}

/** All dumps with what is in each, without their rows. */
export function useDumps(): UseQueryResult<KernelDump[]> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "dumps"],
    staleTime: FINISHED_IS_FRESH_MS,
    queryFn: async ({ signal }) =>
      (await ask<Page<KernelDump>>(`${source.api}/dumps`, { headers: source.headers, signal })).items,
  });
}

/** Counters and gauges over the dumps. */
export function useDumpSeries(): UseQueryResult<SeriesList> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "dump-series"],
    staleTime: FINISHED_IS_FRESH_MS,
    queryFn: ({ signal }) => ask<SeriesList>(`${source.api}/dumps/series`, { headers: source.headers, signal }),
  });
}

export function useProgress(enabled: boolean): UseQueryResult<Progress> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "progress"],
    enabled: enabled && !source.readOnly,
    refetchInterval: 2000,
    queryFn: ({ signal }) => ask<Progress>(`${source.api}/progress`, { headers: source.headers, signal }),
  });
}

/** What a diagnosis may name. The same for every investigation. */
export function useCauseRules(): UseQueryResult<CauseRule[]> {
  return useQuery({
    queryKey: ["causes"],
    staleTime: Infinity,
    queryFn: async ({ signal }) => (await ask<Page<CauseRule>>("/api/v1/causes", { signal })).items,
  });
}

/** What each detector looks for. The same for every investigation. */
export function useDetectorRules(): UseQueryResult<DetectorRule[]> {
  return useQuery({
    queryKey: ["detectors"],
    staleTime: Infinity,
    queryFn: async ({ signal }) => (await ask<Page<DetectorRule>>("/api/v1/detectors", { signal })).items,
  });
}

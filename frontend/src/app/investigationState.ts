/** What every region of an investigation says about itself, and what the browser's tab shows of a running analysis. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";

import { ask } from "../api/http";
import { useInvestigation, useProgress, useReport } from "../api/queries";
import { askAgain } from "../api/refetch";
import { useSource } from "../api/source";
import type { Progress } from "../api/types";
import type { RegionState } from "../ui/regionState";
import { FIRST_COMMON_STAGE, isSettled } from "../upload/fileCounts";
import { showProgressInTab } from "./progressInTab";

/** Share of the bytes of all captures that is decoded; null before the first is begun. */
export function decodedRatio(progress: Pick<Progress, "files"> | undefined): number | null {
  const files = progress?.files.filter((file) => file.kind !== "dump") ?? [];
  const bytes = files.reduce((sum, file) => sum + file.size_bytes, 0);
  const done = files.reduce((sum, file) => sum + (file.status === "decoded" ? file.size_bytes : Math.min(file.bytes_done, file.size_bytes)), 0);
  return bytes > 0 && files.some((file) => file.bytes_done > 0 || file.status === "decoded") ? done / bytes : null;
}

/** Share of the bytes of all files that needs no more reading. */
function readRatio(files: Progress["files"]): number {
  const bytes = files.reduce((sum, file) => sum + file.size_bytes, 0);
  const read = files.reduce((sum, file) => sum + (isSettled(file) ? file.size_bytes : file.status === "decoding" ? Math.min(file.bytes_done, file.size_bytes) : 0), 0);
  return bytes > 0 ? read / bytes : 0;
}

/** How far the whole is: while files are read by their bytes, then by stages. Below 1 until it is over. */
export function overallRatio(progress: Progress): number {
  const { stage } = progress;
  if (!stage) return 0;
  const common = FIRST_COMMON_STAGE - 1;
  const done = stage.number < FIRST_COMMON_STAGE ? common * readRatio(progress.files) : stage.number - 1;
  return Math.min(done / stage.of, 0.99);
}

function useVersion(): string | undefined {
  return useQuery({
    queryKey: ["version"], staleTime: 60_000,
    queryFn: async ({ signal }) => (await ask<{ version: string }>("/api/v1/version", { signal })).version,
  }).data;
}

export function useInvestigationState(): RegionState {
  const source = useSource();
  const queries = useQueryClient();
  const investigation = useInvestigation().data;
  const analysis = investigation?.analysis;
  const mayChange = investigation?.may.includes("change") ?? false;
  const report = useReport().data;
  const progress = useProgress(false).data;
  const now = useVersion();
  const { mutate, isPending } = useMutation({
    mutationFn: () => ask(`${source.api}/analyses?anew=true`, { method: "POST" }),
    onSuccess: () => void askAgain(queries, { queryKey: [source.key] }),
  });
  const running = analysis === "queued" || analysis === "running";
  const overall_ratio = useOverall(running ? progress : undefined, running);
  return useMemo(() => {
    const was = report?.tool.version;
    const older = was !== undefined && now !== undefined && was !== now && !running;
    return {
      stale: older ? { was, now, again: mayChange ? () => mutate() : undefined, busy: isPending } : null,
      partial: running ? { done_ratio: decodedRatio(progress), overall_ratio, findings: progress?.findings_so_far ?? 0 } : null,
    };
  }, [isPending, mutate, now, progress, report?.tool.version, running, mayChange, overall_ratio]);
}

/** One number for the page's bar and the browser's tab, never backwards while one analysis runs. */
function useOverall(progress: Progress | undefined, running: boolean): number {
  const [furthest, setFurthest] = useState(0);
  const ratio = progress ? overallRatio(progress) : 0;
  const now = running ? Math.max(furthest, ratio) : 0;
  if (now !== furthest) setFurthest(now);
  useEffect(() => {
    showProgressInTab(running ? now : null);
    return () => showProgressInTab(null);
  }, [now, running]);
  return now;
}

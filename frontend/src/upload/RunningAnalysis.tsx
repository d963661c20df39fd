/** An analysis running: stage, files, what has been found so far. Values never go backwards. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { ask } from "../api/http";
import { useAllowed } from "../access/rights";
import { askAgain } from "../api/refetch";
import { useProgress } from "../api/queries";
import { useSource } from "../api/source";
import type { EvidenceFile } from "../api/types";
import { bytes, count, plural } from "../format/quantity";
import { FindingsSoFar } from "./FindingsSoFar";
import "./upload.css";

const SILENT_MS = 15_000;

export function stageWords(file: EvidenceFile): string {
  const stage = file.stage ? `stage ${file.stage.number} of ${file.stage.of}: ${file.stage.name}` : file.status;
  const rate = file.rate_packets_s ? ` · ${count(file.rate_packets_s)} packets/s` : "";
  const done = file.status === "decoding" && file.bytes_done ? ` · ${bytes(file.bytes_done)} of ${bytes(file.size_bytes)}` : "";
  return `${stage}${done}${rate}`;
}

export function RunningAnalysis() {
  const source = useSource();
  const queries = useQueryClient();
  const progress = useProgress(false).data;
  const silent = useSilent(progress?.updated);
  const cancel = useMutation({
    mutationFn: () => ask(`${source.api}/cancel`, { method: "POST" }),
    onSuccess: () => void askAgain(queries, { queryKey: [source.key] }),
  });
  const stage = progress?.stage;
  const allowed = useAllowed("change");
  return (
    <section className="card panel running" aria-label="Analysis running" data-testid="running">
      <header className="panel-head">
        <h2>
          {stage ? `Stage ${stage.number} of ${stage.of}: ${stage.name}` : "Waiting for a worker"}
          {progress?.message && <span className="dim"> · {progress.message}</span>}
        </h2>
        <button type="button" className="button" title={allowed.title} disabled={allowed.disabled || cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel
        </button>
      </header>
      <progress
        className="running-bar"
        max={stage?.of ?? 6}
        value={stage?.number ?? 0}
        aria-label="Stages of the analysis"
        data-testid="stage"
      />
      {silent && <p role="status" data-testid="silent">No sign of the worker for 15 s. The job is kept: the worker continues, or another one takes over.</p>}
      {progress && progress.findings_so_far > 0 && <FindingsSoFar progress={progress} />}
      <ul className="running-files">
        {progress?.files.map((file) => (
          <li key={file.id}>
            <span>{file.name}</span>
            <span className="dim">{stageWords(file)}</span>
            <span className="number">{file.packets ? plural(file.packets, "packet") : ""}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** True when the last news is old. */
function useSilent(updated: string | undefined): boolean {
  const [silentSince, setSilentSince] = useState<string | undefined>(undefined);
  useEffect(() => {
    const timer = window.setTimeout(() => setSilentSince(updated), SILENT_MS);
    return () => window.clearTimeout(timer);
  }, [updated]);
  return updated !== undefined && silentSince === updated;
}

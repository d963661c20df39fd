/** An analysis running: one bar, what has been found so far, the files folded. Values never go backwards. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { ask } from "../api/http";
import { useAllowed } from "../access/rights";
import { askAgain } from "../api/refetch";
import { useProgress } from "../api/queries";
import { useSource } from "../api/source";
import type { EvidenceFile } from "../api/types";
import { bytes, count, plural } from "../format/quantity";
import { useOverallRatio } from "../ui/regionState";
import { fileCountWords, furthestStage } from "./fileCounts";
import { FindingsSoFar } from "./FindingsSoFar";
import "./upload.css";

/** One detector alone may take minutes, and says nothing meanwhile. */
const SILENT_MS = 60_000;

export function stageWords(file: EvidenceFile): string {
  const stage = file.stage ? `stage ${file.stage.number} of ${file.stage.of}: ${file.stage.name}` : file.status;
  const rate = file.rate_packets_s ? ` · ${count(file.rate_packets_s)} packets/s` : "";
  const done = file.status === "decoding" && file.bytes_done ? ` · ${bytes(file.bytes_done)} of ${bytes(file.size_bytes)}` : "";
  return `${stage}${done}${rate}`;
}

/** `listed`: the page itself lists the files. */
export function RunningAnalysis({ listed = false }: { listed?: boolean }) {
  const source = useSource();
  const queries = useQueryClient();
  const progress = useProgress(false).data;
  const silent = useSilent(progress?.updated);
  const cancel = useMutation({
    mutationFn: () => ask(`${source.api}/cancel`, { method: "POST" }),
    onSuccess: () => void askAgain(queries, { queryKey: [source.key] }),
  });
  const stage = progress && furthestStage(progress);
  const ratio = useOverallRatio() ?? 0;
  const allowed = useAllowed("change");
  return (
    <section className="card panel running" aria-label="Analysis running" data-testid="running">
      <header className="panel-head">
        <h2>
          {stage ? `Stage ${stage.number} of ${stage.of}: ${stage.name}` : "Waiting for a worker"}
          {progress?.message && <span className="dim"> · {progress.message}</span>}
          <span className="dim" data-testid="running-share"> · {Math.floor(100 * ratio)} %</span>
        </h2>
        <button type="button" className="button" title={allowed.title} disabled={allowed.disabled || cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel
        </button>
      </header>
      <progress
        className="running-bar"
        max={1}
        value={ratio}
        aria-label="Analysis"
        data-testid="stage"
      />
      {silent && <p role="status" data-testid="silent">No progress for 60 s. The job is kept: the worker continues, or another one takes over.</p>}
      {progress && progress.findings_so_far > 0 && <FindingsSoFar progress={progress} />}
      {progress && progress.files.length > 0 && <RunningFiles files={progress.files} listed={listed} />}
    </section>
  );
}

const FILES_LISTED = 50;

function RunningFiles({ files, listed }: { files: EvidenceFile[]; listed: boolean }) {
  const words = fileCountWords(files);
  if (listed) return <p className="dim" data-testid="file-counts">{words}</p>;
  return (
    <details className="running-folded">
      <summary data-testid="file-counts">{words}</summary>
      <ul className="running-files">
        {files.slice(0, FILES_LISTED).map((file) => (
          <li key={file.id}>
            <span>{file.name}</span>
            <span className="dim">{stageWords(file)}</span>
            <span className="number">{file.packets ? plural(file.packets, "packet") : ""}</span>
          </li>
        ))}
      </ul>
      {files.length > FILES_LISTED && <p className="dim">and {count(files.length - FILES_LISTED)} more</p>}
    </details>
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

/** Files may be dropped on any page: into the open investigation, or a new one. */
import { useEffect, useState } from "react";

import { useTaken } from "../access/rights";
import { useLabel } from "../api/queries";
import { useAddress, useGo } from "../ui/RouteLink";
import { droppedFiles } from "./droppedFiles";
import { useUploads } from "./UploadsProvider";
import "./upload.css";

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

export function DropEverywhere() {
  const { path } = useAddress();
  const go = useGo();
  const { send, refusal, refuse } = useUploads();
  const [over, setOver] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const investigation = /^\/i\/([^/]+)/.exec(path)?.[1] ?? null;
  const label = useLabel(investigation);
  const readOnly = path.startsWith("/s/");
  const { disabled, title: why } = useTaken(investigation, !readOnly);

  useEffect(() => {
    if (readOnly) return undefined;
    const cover = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      if (disabled && event.dataTransfer) event.dataTransfer.dropEffect = "none";
      setOver(true);
    };
    const uncover = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setOver(false);
      if (disabled) return;
      void droppedFiles(event.dataTransfer)
        .then(({ files, folder }) => (files.length ? send(files, investigation, folder) : null))
        .then((id) => id && go(`/i/${id}/files`))
        .catch((error: Error) => setFailure(error.message));
    };
    window.addEventListener("dragenter", cover);
    window.addEventListener("dragover", cover);
    window.addEventListener("dragleave", uncover);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragenter", cover);
      window.removeEventListener("dragover", cover);
      window.removeEventListener("dragleave", uncover);
      window.removeEventListener("drop", drop);
    };
  }, [disabled, go, investigation, readOnly, send]);

  const refusedBecause = failure ?? refusal;
  if (refusedBecause) {
    return (
      <div role="alert" className="drop-failure" data-testid="drop-failure">
        The files were not accepted: {refusedBecause}{" "}
        <button type="button" className="link-button" onClick={() => { setFailure(null); refuse(null); }}>
          Close
        </button>
      </div>
    );
  }
  if (!over || (disabled && !why)) return null;
  if (disabled) {
    return (
      <div className="drop-overlay" data-testid="drop-refused">
        <p>Uploads are not possible here</p>
        <p>{why}</p>
      </div>
    );
  }
  return (
    <div className="drop-overlay" data-testid="drop-overlay">
      <p>{investigation ? `Add to “${label ?? "this investigation"}”` : "New investigation"}</p>
      <p className="dim">Captures (pcap, pcapng, gzip) and text dumps. Detected by content, not by name.</p>
    </div>
  );
}

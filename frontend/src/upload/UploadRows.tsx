/** Uploads of one investigation, with what was refused and why. */
import { bytes } from "../format/quantity";
import { useUploads, type UploadState } from "./UploadsProvider";
import "./upload.css";

function statusWords(upload: UploadState): string {
  const share = upload.size_bytes ? Math.floor((100 * upload.sent_bytes) / upload.size_bytes) : 100;
  const resumed = upload.resumedFrom_bytes ? `, resumed at ${bytes(upload.resumedFrom_bytes)}` : "";
  const sent = `${bytes(upload.sent_bytes)} of ${bytes(upload.size_bytes)}${resumed}`;
  if (upload.status === "waiting") return `waiting for the server · ${sent}`;
  if (upload.status === "stopped") return `paused · ${sent}`;
  return `uploading ${share} % · ${sent}`;
}

export function UploadRows({ investigation }: { investigation: string }) {
  const { uploads, stop, goOn, dismiss } = useUploads();
  const visible = uploads.filter((upload) => upload.investigation === investigation && upload.status !== "done");
  if (!visible.length) return null;
  return (
    <ul className="upload-rows" aria-label="Uploads">
      {visible.map((upload) => (
        <li key={upload.key} data-testid="upload" data-status={upload.status}>
          <strong>{upload.name}</strong>
          {upload.status === "refused" ? (
            <span role="alert">
              ✖ Not accepted: {upload.reason} <span className="dim">Nothing was stored.</span>
            </span>
          ) : (
            <>
              <span className="dim">{statusWords(upload)}</span>
              <progress max={upload.size_bytes || 1} value={upload.sent_bytes} aria-label={`Upload of ${upload.name}`} />
            </>
          )}
          {upload.status === "sending" && (
            <button type="button" className="link-button" onClick={() => stop(upload.key)}>
              Pause
            </button>
          )}
          {upload.status === "stopped" && (
            <button type="button" className="link-button" onClick={() => goOn(upload.key)}>
              Go on
            </button>
          )}
          {(upload.status === "refused" || upload.status === "stopped") && (
            <button type="button" className="link-button" onClick={() => dismiss(upload.key)}>
              Remove
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

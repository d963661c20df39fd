/** One resumable upload (tus). An interrupted one is taken up where it stopped, after a reload too. */
import { Upload } from "tus-js-client";

const CHUNK_BYTES = 8 * 1024 * 1024;
const RETRY_AFTER_MS = [0, 1000, 3000, 5000, 10_000, 20_000];

interface UploadEvents {
  onProgress: (sent_bytes: number) => void;
  onResume: (from_bytes: number) => void;
  /** `unanswered`: there was no answer at all. */
  onWaiting: (unanswered: boolean) => void;
  onDone: () => void;
  onRefused: (reason: string) => void;
}

export interface RunningUpload {
  stop: () => void;
  /** Goes on where it was stopped. */
  goOn: () => void;
}

interface Refusal {
  originalResponse?: { getStatus: () => number; getBody: () => string } | null;
}

/** The server's own sentence, from its problem document. */
export function refusalReason(error: Error & Refusal): string {
  const body = error.originalResponse?.getBody();
  try {
    const problem = JSON.parse(body ?? "") as { detail?: string; title?: string };
    return problem.detail ?? problem.title ?? "The server rejected the file.";
  } catch {
    return error.originalResponse
      ? `The server rejected the file (status ${error.originalResponse.getStatus()}).`
      : "The server did not respond. The upload can be resumed.";
  }
}

function isFinal(error: Refusal): boolean {
  const status = error.originalResponse?.getStatus() ?? 0;
  return (status === 507 || (status >= 400 && status < 500)) && status !== 409 && status !== 423;
}

export function startUpload(file: File, endpoint: string, events: UploadEvents): RunningUpload {
  const upload = new Upload(file, {
    endpoint,
    chunkSize: CHUNK_BYTES,
    retryDelays: RETRY_AFTER_MS,
    removeFingerprintOnSuccess: true,
    // The investigation is part of it: the same file may go to two of them.
    fingerprint: () => Promise.resolve(["stallscope", endpoint, file.name, file.size, file.lastModified].join("|")),
    metadata: { filename: file.name, filetype: file.type || "application/octet-stream" },
    onShouldRetry: (error) => {
      const again = !isFinal(error as Refusal);
      if (again) events.onWaiting((error as Refusal).originalResponse == null);
      return again;
    },
    onProgress: events.onProgress,
    onSuccess: events.onDone,
    onError: (error) => events.onRefused(refusalReason(error as Error & Refusal)),
  });
  void resumeAndStart(upload, events);
  return { stop: () => void upload.abort(), goOn: () => upload.start() };
}

async function resumeAndStart(upload: Upload, events: UploadEvents): Promise<void> {
  const [earlier] = await upload.findPreviousUploads();
  if (earlier) {
    upload.resumeFromPreviousUpload(earlier);
    let resumed = false;
    const tell = upload.options.onProgress;
    upload.options.onProgress = (sent, total) => {
      if (!resumed) events.onResume(sent);
      resumed = true;
      tell?.(sent, total);
    };
  }
  upload.start();
}

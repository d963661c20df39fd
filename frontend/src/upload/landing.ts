/** Where somebody who gave files is taken when their analysis is over. Pure. */

export interface UploadOutcome {
  status: "sending" | "waiting" | "done" | "refused" | "stopped";
}

export interface Given {
  /** The investigation that got them. */
  id: string;
  /** When the last of them had arrived, ms since 1970. */
  since_ms: number;
  /** Made for them alone. */
  fresh: boolean;
}

/** `discard`: nothing was accepted, and the investigation was made for that alone. */
export type Landing = "wait" | "go" | "banner" | "over" | "discard";

const settled = (upload: UploadOutcome): boolean => upload.status !== "sending" && upload.status !== "waiting";

/**
 * `uploads`: of the investigation, on this page. `asked_ms`: when what is known of its analysis was answered;
 * an older answer is that of the analysis before.
 */
export function landingOf(path: string, given: Given, uploads: readonly UploadOutcome[], analysis: string | null | undefined, asked_ms: number): Landing {
  if (!uploads.every(settled) || uploads.some((upload) => upload.status === "stopped")) return "wait";
  const refused = uploads.filter((upload) => upload.status === "refused").length;
  if (uploads.length > 0 && refused === uploads.length) return given.fresh ? "discard" : "over";
  if (asked_ms < given.since_ms || analysis === undefined || analysis === null || analysis === "queued" || analysis === "running") return "wait";
  if (analysis !== "finished" || path === `/i/${given.id}`) return "over";
  // Whose file was refused is left to read why.
  return path === `/i/${given.id}/files` && refused === 0 ? "go" : "banner";
}

const KEY = "stallscope-given";

/** Kept over a reload of this browser tab. */
export function storedGiven(): Given[] {
  try {
    return JSON.parse(window.sessionStorage.getItem(KEY) ?? "[]") as Given[];
  } catch {
    return [];
  }
}

export function storeGiven(given: readonly Given[]): void {
  try {
    window.sessionStorage.setItem(KEY, JSON.stringify(given));
  } catch {
    // Then a reload forgets it.
  }
}

/** Parts of an analysis as the table of diagnostics shows them. */
import type { Report } from "../api/types";

export interface PartRow {
  kind: string;
  cpu_s: number;
  grown_bytes: number;
  /** Why it failed; nothing where it did not. */
  failed?: string;
}

/** Those that failed first, then those that took the most processor time. */
export function partRows(report: Pick<Report, "timings" | "checked">): PartRow[] {
  const failed = new Map(report.checked.filter((each) => each.status === "failed").map((each) => [each.kind, each.why]));
  const known = new Set(report.timings.map((each) => each.kind));
  const notRun = [...failed.keys()].filter((kind) => !known.has(kind)).map((kind) => ({ kind, cpu_s: 0, grown_bytes: 0 }));
  const rows = [...report.timings, ...notRun].map((each) => ({ ...each, failed: failed.get(each.kind) }));
  return rows.sort((one, other) => Number(other.failed !== undefined) - Number(one.failed !== undefined) || other.cpu_s - one.cpu_s);
}

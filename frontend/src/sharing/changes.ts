/** What has changed behind a live link since its viewer looked last. The browser remembers; the server does not know viewers. */
import type { Report } from "../api/types";
import { count, duration } from "../format/quantity";

interface Seen {
  title: string;
  times: number;
  lost_s: number;
  verdict: string;
}

/** By the finding's id. */
export type Memory = Record<string, Seen>;

export interface Change {
  finding: string;
  words: string;
}

export function memoryOf(report: Report): Memory {
  const verdicts = new Map(report.diagnoses.flatMap((each) => each.findings.map((id) => [id, each.verdict])));
  return Object.fromEntries(
    report.findings.map((each) => [
      each.id, { title: each.title, times: each.count, lost_s: each.time_lost_s, verdict: verdicts.get(each.id) ?? "" },
    ]),
  );
}

/** Each finding that is new, gone, or no longer counts or means the same. */
export function changesBetween(before: Memory, now: Memory): Change[] {
  const changes: Change[] = [];
  for (const [finding, seen] of Object.entries(now)) {
    const old = before[finding];
    if (!old) changes.push({ finding, words: `new: ${seen.title}` });
    else {
      const parts = differences(old, seen);
      if (parts.length) changes.push({ finding, words: `${seen.title}: ${parts.join(", ")}` });
    }
  }
  for (const [finding, seen] of Object.entries(before)) if (!now[finding]) changes.push({ finding, words: `gone: ${seen.title}` });
  return changes;
}

function differences(old: Seen, seen: Seen): string[] {
  const parts: string[] = [];
  if (old.times !== seen.times) parts.push(`${count(old.times)} → ${count(seen.times)}`);
  if (Math.abs(old.lost_s - seen.lost_s) > 1e-9) parts.push(`${duration(old.lost_s)} → ${duration(seen.lost_s)} lost`);
  if (old.verdict !== seen.verdict) parts.push(`${old.verdict || "no cause"} → ${seen.verdict || "no cause"}`);
  return parts;
}

const key = (sid: string): string => `stallscope-seen-${sid}`;

/** Null for a first visit, and where the browser keeps nothing. */
export function recall(sid: string): Memory | null {
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(key(sid)) ?? "null");
    return typeof kept === "object" && kept !== null ? (kept as Memory) : null;
  } catch {
    return null;
  }
}

export function remember(sid: string, memory: Memory): void {
  try {
    window.localStorage.setItem(key(sid), JSON.stringify(memory));
  } catch {
    // Full, or not allowed: the next visit is a first one.
  }
}

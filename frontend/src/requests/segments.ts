/** Words and places of a request's segments: pure, so that what is shown adds up. */
import type { RequestDetail, RequestGroup, Segment } from "../api/requests";
import { count, percent } from "../format/quantity";

type Kind = Segment["kind"];

export const KIND_WORDS: Record<Kind, string> = {
  metadata: "metadata", dns: "DNS", calls: "upstream", own: "processing", request: "request", wait: "waiting", response: "response",
};

const COST_WORDS: Record<Kind, string> = {
  metadata: "metadata calls", dns: "DNS lookups", calls: "upstream calls", own: "own processing", request: "sending the request",
  wait: "waiting for the first byte", response: "receiving the response",
};

export function ms(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return count(Math.round(value));
  if (size >= 10) return value.toFixed(1);
  return value.toFixed(size === 0 ? 0 : 2);
}

export interface Bar extends Segment {
  /** In percent of the whole. */
  left: number;
  width: number;
}

/** Where each segment is drawn. What of the whole is no segment's is on the way: half of it before, half behind. */
export function placeBars(detail: RequestDetail): Bar[] {
  const total = detail.total_ms ?? 0;
  if (total <= 0) return [];
  const lead = Math.max(0, detail.gap_ms) / 2;
  return detail.segments.map((segment) => {
    const left = Math.min(100, (100 * (segment.after_ms + lead)) / total);
    return { ...segment, left, width: Math.max(0, Math.min(100 - left, (100 * segment.length_ms) / total)) };
  });
}

export const sumOf = (segments: readonly Segment[]): number => segments.reduce((sum, segment) => sum + segment.counted_ms, 0);

/** "2 metadata calls cost most: 51.1 of 70.9 ms (72 %)". */
export function costSentence(detail: RequestDetail): string | null {
  const kind = detail.costliest as Kind | "";
  if (kind === "" || detail.total_ms === null || detail.total_ms <= 0) return null;
  const own = detail.segments.filter((segment) => segment.kind === kind);
  const taken = sumOf(own);
  const many = kind === "metadata" || kind === "dns" || kind === "calls";
  const words = many && own.length === 1 ? `1 ${COST_WORDS[kind].replace("calls", "call").replace("lookups", "lookup")}` : many ? `${count(own.length)} ${COST_WORDS[kind]}` : COST_WORDS[kind];
  return `${words} cost most: ${ms(taken)} of ${ms(detail.total_ms)} ms (${percent(taken / detail.total_ms)})`;
}

/** The kind of part that made the slow request slower than the fast one, and by how much. */
export function costlierKind(slow: RequestDetail, fast: RequestDetail): { kind: Kind; sentence: string } | null {
  const taken = (detail: RequestDetail, kind: Kind): number => sumOf(detail.segments.filter((segment) => segment.kind === kind));
  const kinds = [...new Set(slow.segments.map((segment) => segment.kind))];
  const [most] = kinds.map((kind) => ({ kind, slow: taken(slow, kind), fast: taken(fast, kind) })).sort((a, b) => b.slow - b.fast - (a.slow - a.fast));
  if (most === undefined || most.slow <= most.fast) return null;
  return { kind: most.kind, sentence: `${COST_WORDS[most.kind]}, ${ms(most.slow)} ms against ${ms(most.fast)} ms` };
}

type Counted = "metadata" | "dns" | "calls";
const CALLEE_WORDS: Record<Counted, [string, string]> = {
  metadata: ["metadata call", "metadata calls"], dns: ["DNS lookup", "DNS lookups"], calls: ["upstream call", "upstream calls"],
};

/** "2 metadata calls": how many of each kind a request of the shape makes, with their names. */
export function calleeWords(group: RequestGroup): { words: string; names: string; kind: Counted }[] {
  return (Object.keys(CALLEE_WORDS) as Counted[]).flatMap((kind) => {
    const own = group.callees.filter((callee) => callee.kind === kind);
    const total = own.reduce((sum, callee) => sum + callee.count, 0);
    if (total === 0) return [];
    const names = own.map((callee) => (callee.count > 1 ? `${callee.name} × ${callee.count}` : callee.name)).join(", ");
    return [{ kind, words: `${count(total)} ${CALLEE_WORDS[kind][total === 1 ? 0 : 1]}`, names }];
  });
}

export interface Share {
  kind: Kind;
  ms: number;
}

/** What the median request of a group spends on each kind; medians need not add up to the median whole. */
export function sharesOf(group: RequestGroup): Share[] {
  const of: [Kind, number | null][] = group.shape === null
    ? [["wait", group.wait_p50_ms]]
    : [["metadata", group.metadata_p50_ms], ["dns", group.dns_p50_ms], ["calls", group.calls_p50_ms], ["own", group.own_p50_ms]];
  return of.flatMap(([kind, value]) => (value === null || value <= 0 ? [] : [{ kind, ms: value }]));
}

/** The three examples of a group, those that are the same request once. */
export function examplesOf(group: RequestGroup): { rid: number; words: string }[] {
  const named: [number, string][] = [[group.fastest, "fastest"], [group.median, "median"], [group.slowest, "slowest"]];
  const words = new Map<number, string[]>();
  for (const [rid, word] of named) words.set(rid, [...(words.get(rid) ?? []), word]);
  return [...words].map(([rid, all]) => ({ rid, words: all.length === 3 ? "the only one" : all.join(" and ") }));
}

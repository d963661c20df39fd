/** Where a failed connection and one that worked begin to differ. Pure. */
import { stretch } from "../format/offset";
import { ladderSteps, type Rung, type Step } from "./ladderSteps";
import type { ConnectionDetail, Lane } from "../api/types";

export interface Difference {
  /** Keys of the steps that differ; null where one of the connections has no such step. */
  failed: string | null;
  worked: string | null;
  sentence: string;
}

/** A wait is a difference if it is this much longer, and at least this long. */
const LONGER_RATIO = 5;
const LONGER_AT_LEAST_NS = 1_000_000;

const rungsOf = (steps: readonly Step[]): Rung[] => steps.filter((step): step is Rung => step.kind === "packet");
const isSame = (a: Rung, b: Rung): boolean => a.what === b.what && a.fromClient === b.fromClient;
const waitBefore = (rungs: readonly Rung[], at: number): number => (rungs[at]?.atNs ?? 0) - (rungs[at - 1]?.atNs ?? rungs[at]?.atNs ?? 0);

/** The first step of another kind, that a vantage point never saw, or that came much later; null where there is none. */
export function firstDifference(failed: ConnectionDetail, worked: ConnectionDetail): Difference | null {
  const [own, other] = [rungsOf(ladderSteps(failed)), rungsOf(ladderSteps(worked))];
  const nameOf = (id: string): string => failed.lanes.find((lane) => lane.id === id)?.name ?? id;
  for (let at = 0; at < Math.max(own.length, other.length); at += 1) {
    const [a, b] = [own[at], other[at]];
    const keys = { failed: a?.key ?? null, worked: b?.key ?? null };
    if (a === undefined) return b === undefined ? null : { ...keys, sentence: `${b.what} is absent here; it followed in the connection that worked` };
    if (a.missing.length > 0) return { ...keys, sentence: `${a.what} is never seen on ${a.missing.map(nameOf).join(", ")}; the same step passed in the connection that worked` };
    if (b === undefined) return { ...keys, sentence: `${a.what} has no counterpart: the connection that worked had ended` };
    if (!isSame(a, b)) return { ...keys, sentence: `${a.what} after ${stretch(waitBefore(own, at))}; ${b.what} after ${stretch(waitBefore(other, at))} in the connection that worked` };
    const [wait, baseline] = [waitBefore(own, at), waitBefore(other, at)];
    if (wait >= LONGER_AT_LEAST_NS && wait > baseline * LONGER_RATIO) return { ...keys, sentence: `${a.what} after ${stretch(wait)}; after ${stretch(baseline)} in the connection that worked` };
  }
  return null;
}

/** Vantage points that saw one of both connections, and translation between them. */
export function sharedLanes(details: readonly ConnectionDetail[]): Lane[] {
  const seen = new Set(details.flatMap((detail) => detail.packets.map((packet) => packet.lane)));
  const missing = new Set(details.flatMap((detail) => detail.connection.missing_at));
  const [first] = details;
  return (first?.lanes ?? []).filter((lane) => seen.has(lane.id) || missing.has(lane.id) || lane.role === "nat");
}

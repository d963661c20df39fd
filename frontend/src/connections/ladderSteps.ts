/** One connection as a ladder: a column a capture point, a row a packet, long silences folded. Pure. */
import type { ConnectionDetail, ConnectionPacket, Lane, TimelineMark } from "../api/types";

export interface Rung {
  kind: "packet";
  key: string;
  /** After the first packet of the connection. */
  atNs: number;
  what: string;
  fromClient: boolean;
  sightings: ConnectionPacket[];
  /** Lanes where it should have been seen and never was. */
  missing: string[];
  /** Port rewriting between two neighbouring sightings. */
  rewriting: { between: [string, string]; text: string } | null;
}

export interface Aside {
  kind: "mark";
  key: string;
  atNs: number;
  mark: TimelineMark;
}

export interface Fold {
  kind: "fold";
  key: string;
  gapNs: number;
}

/** Packets of an undisturbed transfer, as one row. */
export interface Run {
  kind: "run";
  key: string;
  steps: (Rung | Aside)[];
}

export type Step = Rung | Aside | Fold;

/** Copies of one packet are nearer than this on one node; a retransmission is further away. */
const COPY_WITHIN_NS = 100_000_000;
/** A silence this many times the usual one, and at least 10 ms, says nothing by its length on paper. */
const FOLD_RATIO = 20;
const FOLD_AT_LEAST_NS = 10_000_000;

/** Columns in path order: capture points, translation, and places nobody captured; kernel listings are no places. */
export const ladderColumns = (lanes: readonly Lane[]): Lane[] => lanes.filter((lane) => lane.role !== "kernel");

export function ladderSteps(detail: ConnectionDetail): Step[] {
  const rungs = rungsOf(detail);
  const asides = asidesOf(detail, rungs);
  const timed = [...rungs, ...asides].sort((a, b) => a.atNs - b.atNs);
  return withFolds(timed);
}

function rungsOf(detail: ConnectionDetail): Rung[] {
  const packets = [...detail.packets].sort((a, b) => compare(BigInt(a.time_ns), BigInt(b.time_ns)));
  const origin = BigInt(packets[0]?.time_ns ?? "0");
  const order = detail.lanes.map((lane) => lane.id);
  const open: Rung[] = [];
  for (const packet of packets) {
    const atNs = Number(BigInt(packet.time_ns) - origin);
    const known = open.find((rung) => isCopy(rung, packet, atNs));
    if (known !== undefined) known.sightings.push(packet);
    else {
      open.push({
        kind: "packet", key: `${packet.input}#${packet.frame}`, atNs, what: packet.what, fromClient: packet.from_client,
        sightings: [packet], missing: [], rewriting: null,
      });
    }
  }
  for (const rung of open) {
    rung.sightings.sort((a, b) => order.indexOf(a.lane) - order.indexOf(b.lane));
    rung.rewriting = rewritingOf(rung);
  }
  markMissing(open, detail);
  return open;
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

function isCopy(rung: Rung, packet: ConnectionPacket, atNs: number): boolean {
  const first = rung.sightings[0];
  if (first === undefined || atNs - rung.atNs > COPY_WITHIN_NS) return false;
  if (rung.sightings.some((seen) => seen.lane === packet.lane)) return false;
  return (
    first.from_client === packet.from_client && first.flags === packet.flags && first.sequence === packet.sequence &&
    first.acknowledgement === packet.acknowledgement && first.payload_bytes === packet.payload_bytes &&
    first.timestamp_value === packet.timestamp_value && first.ip_id === packet.ip_id
  );
}

/** The client's port on both sides of a translation, in the order the packet crossed it. */
function rewritingOf(rung: Rung): Rung["rewriting"] {
  const port = (seen: ConnectionPacket): string => portOf(rung.fromClient ? seen.source : seen.destination);
  for (let i = 1; i < rung.sightings.length; i += 1) {
    const [near, far] = [rung.sightings[i - 1], rung.sightings[i]];
    if (near === undefined || far === undefined || sameEnds(near, far)) continue;
    const ports = rung.fromClient ? [port(near), port(far)] : [port(far), port(near)];
    return { between: [near.lane, far.lane], text: ports[0] === ports[1] ? `keeps ${ports[0]}` : `${ports[0]} → ${ports[1]}` };
  }
  return null;
}

const sameEnds = (a: ConnectionPacket, b: ConnectionPacket): boolean => a.source === b.source && a.destination === b.destination;

export const portOf = (endpoint: string): string => endpoint.slice(endpoint.lastIndexOf(":") + 1);

/** Puts ✖ where the API says a SYN was expected: at the time its marks give, else at the first SYN. */
function markMissing(rungs: Rung[], detail: ConnectionDetail): void {
  const syns = rungs.filter((rung) => rung.fromClient && rung.what.startsWith("SYN") && rung.what !== "SYN-ACK");
  for (const lane of detail.connection.missing_at) {
    const unseen = syns.find((rung) => !rung.sightings.some((seen) => seen.lane === lane));
    if (unseen !== undefined) unseen.missing.push(lane);
  }
}

/** Marks of other packets that belong to the story, such as a rival's; own packets are rungs already. */
function asidesOf(detail: ConnectionDetail, rungs: readonly Rung[]): Aside[] {
  const own = new Set(detail.packets.map((packet) => `${packet.input}#${packet.frame}`));
  const first = detail.packets.find((packet) => `${packet.input}#${packet.frame}` === rungs[0]?.key);
  if (first === undefined) return [];
  return detail.marks
    .filter((mark) => mark.glyph === "instant" && mark.evidence.some((part) => part.frames.length > 0))
    .filter((mark) => !mark.evidence.some((part) => part.frames.some((frame) => own.has(`${part.input}#${frame}`))))
    .map((mark) => ({ kind: "mark", key: mark.id, atNs: mark.t - first.t_rel_ns, mark }));
}

function withFolds(timed: readonly (Rung | Aside)[]): Step[] {
  const gaps = timed.slice(1).map((step, i) => step.atNs - (timed[i]?.atNs ?? 0));
  const usual = [...gaps].sort((a, b) => a - b)[Math.floor((gaps.length - 1) / 2)] ?? 0;
  const limit = Math.max(usual * FOLD_RATIO, FOLD_AT_LEAST_NS);
  return timed.flatMap((step, i): Step[] => {
    const gapNs = gaps[i - 1] ?? 0;
    return i > 0 && gapNs > limit ? [{ kind: "fold", key: `fold ${step.key}`, gapNs }, step] : [step];
  });
}

/** Ladders up to this many steps are shown whole. */
const WHOLE_STEPS = 60;
/** Of longer ones the beginning, the end and what surrounds anything unusual. */
const SHOWN_FIRST = 14;
const SHOWN_LAST = 8;
const SHOWN_AROUND = 2;
/** Fewer than this are no run. */
const SHORTEST_RUN = 6;

const isUnusual = (step: Step): boolean =>
  step.kind !== "packet" || step.missing.length > 0 || step.sightings.some((seen) => seen.marks.length > 0)
  || /SYN|RST|FIN|retransmission|window/i.test(step.what);

/** A long ladder with its undisturbed stretches as one row each. */
export function withRuns(steps: readonly Step[]): (Step | Run)[] {
  if (steps.length <= WHOLE_STEPS) return [...steps];
  const shown = steps.map((_, at) => at < SHOWN_FIRST || at >= steps.length - SHOWN_LAST);
  steps.forEach((step, at) => {
    if (isUnusual(step)) shown.fill(true, Math.max(0, at - SHOWN_AROUND), at + SHOWN_AROUND + 1);
  });
  const rows: (Step | Run)[] = [];
  for (let at = 0; at < steps.length;) {
    let end = at;
    while (end < steps.length && shown[end] === false) end += 1;
    const run = steps.slice(at, end).filter((step) => step.kind !== "fold");
    if (run.length >= SHORTEST_RUN) rows.push({ kind: "run", key: `run ${run[0]?.key ?? ""}`, steps: run });
    else rows.push(...run);
    if (end > at) at = end;
    else { rows.push(steps[at] as Step); at += 1; }
  }
  return rows;
}

export interface Phase {
  name: "waiting for the SYN retransmission" | "handshake";
  ms: number;
}

/** What the time until the first answer went into. */
export function connectPhases(steps: readonly Step[]): Phase[] {
  const rungs = steps.filter((step): step is Rung => step.kind === "packet");
  const syns = rungs.filter((rung) => rung.fromClient && rung.what.startsWith("SYN") && rung.what !== "SYN-ACK");
  const answer = rungs.find((rung) => rung.what === "SYN-ACK");
  const [first, last] = [syns[0], syns.filter((syn) => answer === undefined || syn.atNs <= answer.atNs).at(-1)];
  if (first === undefined || last === undefined) return [];
  const phases: Phase[] = [];
  if (last !== first) phases.push({ name: "waiting for the SYN retransmission", ms: (last.atNs - first.atNs) / 1e6 });
  if (answer !== undefined) phases.push({ name: "handshake", ms: (answer.atNs - last.atNs) / 1e6 });
  return phases;
}

/** Which pod, service, node or host had an address, by time. */
import type { components } from "../api/schema";

export type NamePart = components["schemas"]["NamePart"];

export interface Named {
  name: string;
  /** Its sort and where it is stated: `pod, by pods.json line 4`. */
  source: string;
}

interface Interval extends Named {
  fromNs: bigint;
  untilNs: bigint | null;
}

/** `timeNs` is in ns since 1970; without one an address is named only where it had one holder. */
export type NameOf = (address: string, timeNs?: string) => Named | null;

const NS_PER_MS = 1_000_000n;
const SECONDS_LENGTH = "2026-11-20T08:00:05".length;

/** `2026-11-20T08:00:05.123456789Z` in ns since 1970. */
export function epochNs(text: string): bigint {
  const ms = Date.parse(`${text.slice(0, SECONDS_LENGTH)}Z`);
  const fraction = text.slice(SECONDS_LENGTH + 1, -1).padEnd(9, "0").slice(0, 9);
  return BigInt(ms) * NS_PER_MS + BigInt(fraction);
}

export function nameTable(names: readonly NamePart[]): NameOf {
  const byAddress = new Map<string, Interval[]>();
  for (const each of names) {
    const held = byAddress.get(each.address) ?? [];
    held.push({
      name: each.name, source: `${each.sort}, by ${each.evidence.input}${placeOf(each)}`,
      fromNs: each.start ? epochNs(each.start) : 0n, untilNs: each.end ? epochNs(each.end) : null,
    });
    byAddress.set(each.address, held);
  }
  for (const held of byAddress.values()) held.sort((a, b) => (a.fromNs < b.fromNs ? -1 : 1));
  return (address, timeNs) => heldAt(byAddress.get(address), timeNs);
}

function heldAt(held: readonly Interval[] | undefined, timeNs: string | undefined): Named | null {
  if (held === undefined) return null;
  if (timeNs === undefined) return held.length === 1 ? (held[0] ?? null) : null;
  const at = BigInt(timeNs);
  let [low, high] = [0, held.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((held[middle]?.fromNs ?? 0n) <= at) low = middle + 1;
    else high = middle;
  }
  const found = held[low - 1];
  return found && (found.untilNs === null || at < found.untilNs) ? found : null;
}

function placeOf({ evidence }: NamePart): string {
  const line = evidence.lines?.[0];
  const frame = evidence.frames?.[0];
  return line !== undefined ? ` line ${line}` : frame !== undefined ? ` frame ${frame}` : "";
}

/** `10.0.0.1` of `10.0.0.1:80`, `fd00::1` of `[fd00::1]:80`; an address alone is itself. */
export function addressOf(endpoint: string): string {
  if (endpoint.startsWith("[")) return endpoint.slice(1, endpoint.indexOf("]"));
  return endpoint.split(":").length === 2 ? endpoint.slice(0, endpoint.indexOf(":")) : endpoint;
}

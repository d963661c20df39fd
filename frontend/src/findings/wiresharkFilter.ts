/** Display filters for Wireshark: frames of one file, and connections wherever they were captured. */
import type { Evidence, Finding } from "../api/types";

/** More than that nobody wants in a filter. */
const MOST = 100;

/** A filter for the frames of one file; null when there are none or too many. */
export function frameFilter(evidence: Evidence[], input: string): string | null {
  const frames = evidence.filter((part) => part.input === input).flatMap((part) => part.frames);
  const unique = [...new Set(frames)].sort((a, b) => a - b);
  if (!unique.length || unique.length > MOST) return null;
  return `frame.number in {${unique.join(",")}}`;
}

interface Endpoint {
  address: string;
  port: string;
}

/** "10.0.0.1:80" or "[fe80::1]:80"; null of anything else. */
export function endpointOf(text: unknown): Endpoint | null {
  const match = typeof text === "string" ? /^\[?([0-9a-fA-F.:]+?)\]?:(\d+)$/.exec(text) : null;
  return match?.[1] !== undefined && match[2] !== undefined ? { address: match[1], port: match[2] } : null;
}

/**
 * The connections of a finding as their clients sent them, in any capture; null when its events do not say
 * who talked to whom, or when there are too many.
 */
export function portableFilter(finding: Finding): string | null {
  const targets = new Set(finding.affected.map((affected) => affected["destination"]));
  const onlyTarget = targets.size === 1 ? [...targets][0] : null;
  const ports = new Map<string, Set<string>>();
  for (const event of finding.events) {
    const source = endpointOf(event["source"]);
    const target = endpointOf(event["destination"] ?? onlyTarget);
    if (source === null || target === null) return null;
    const field = source.address.includes(":") ? "ipv6.addr" : "ip.addr";
    const pair = `${field} == ${source.address} && ${field} == ${target.address} && tcp.port == ${target.port}`;
    ports.set(pair, (ports.get(pair) ?? new Set()).add(source.port));
  }
  const connections = [...ports.values()].reduce((sum, some) => sum + some.size, 0);
  if (connections === 0 || connections > MOST || !finding.affected.every(isTcp)) return null;
  const parts = [...ports].map(([pair, some]) => `${pair} && tcp.port in {${[...some].join(",")}}`);
  return parts.length === 1 ? (parts[0] ?? null) : parts.map((part) => `(${part})`).join(" || ");
}

const isTcp = (affected: Record<string, unknown>): boolean => (affected["protocol"] ?? "tcp") === "tcp";

/** What a cell of the packet table says as a comparison. Pure. */
import type { PacketLine } from "../api/packets";

export interface CellComparison {
  /** In our language. */
  own: string;
  /** For Wireshark, where it can say it. */
  wireshark: string | null;
  text: string;
}

const FLAGS: Record<string, string> = { SYN: "syn", FIN: "fin", RST: "reset", PSH: "push", ACK: "ack", URG: "urg" };
const PROTOCOLS: Record<string, string> = { TCP: "tcp", UDP: "udp", ICMP: "icmp", ICMPv6: "icmpv6" };

/** "10.0.0.1:80" or "[fe80::1]:80" in its parts. */
export function endOf(text: string): { address: string; port: string } | null {
  const match = /^\[?([0-9a-fA-F.:]+?)\]?:(\d+)$/.exec(text);
  return match?.[1] !== undefined && match[2] !== undefined ? { address: match[1], port: match[2] } : null;
}

function ofEnd(text: string, side: "src" | "dst", protocol: string): string | null {
  const end = endOf(text);
  if (end === null) return null;
  const address = `${end.address.includes(":") ? "ipv6" : "ip"}.${side} == ${end.address}`;
  const transport = protocol === "UDP" ? "udp" : "tcp";
  return end.port === "0" ? address : `${address} && ${transport}.${side}port == ${end.port}`;
}

/** The comparison of the cell in a column (its name), or null where there is none to be made. */
export function comparisonOf(column: string, line: PacketLine, names: { lane: string; letters: string[] }): CellComparison | null {
  const same = (text: string | null, shown: string): CellComparison | null => text === null ? null : { own: text, wireshark: text, text: shown };
  switch (column) {
    case "frame": return { own: `file == "${line.input}" && frame.number == ${line.frame}`, wireshark: `frame.number == ${line.frame}`, text: `${line.input}#${line.frame}` };
    case "lane": return { own: `lane == "${names.lane}"`, wireshark: null, text: names.lane };
    case "source": return same(ofEnd(line.source, "src", line.protocol), line.source);
    case "destination": return same(ofEnd(line.destination, "dst", line.protocol), line.destination);
    case "protocol": return same(PROTOCOLS[line.protocol] ?? null, line.protocol);
    case "flags": return same(flagsOf(line.flags), line.flags);
    case "length": return same(`frame.len == ${line.original_bytes}`, String(line.original_bytes));
    case "info": return line.protocol === "TCP" ? same(`tcp.seq_raw == ${line.sequence}`, line.info) : null;
    case "time": return { own: `frame.time_relative >= ${(line.t / 1e9).toFixed(9)}`, wireshark: null, text: (line.t / 1e9).toFixed(9) };
    case "joined with": return line.cid === null ? null : { own: `conn == ${line.cid}`, wireshark: null, text: line.joined.map((one) => `${one.input}#${one.frame}`).join(" ") };
    case "finding": return names.letters.length ? { own: `finding in {${names.letters.join(", ")}}`, wireshark: null, text: names.letters.join(" ") } : null;
    default: return null;
  }
}

function flagsOf(text: string): string | null {
  const set = new Set(text.split(" "));
  return text ? Object.entries(FLAGS).filter(([name]) => name !== "URG" && name !== "PSH").map(([name, field]) => `tcp.flags.${field} == ${set.has(name) ? 1 : 0}`).join(" && ") : null;
}

/** The filter narrowed by a comparison, or by its opposite. */
export function narrowed(filter: string, comparison: string, not = false): string {
  const part = not ? `!(${comparison})` : comparison;
  const before = filter.trim();
  if (!before) return part;
  return `${/\|\|| or /.test(before) ? `(${before})` : before} && ${part}`;
}

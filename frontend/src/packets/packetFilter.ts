/** The filter of the packet table: the part of Wireshark's names that the packet table can answer, joined with &&. Pure. */

/** What the API is asked for. */
export interface PacketQuery {
  address?: string;
  port?: string;
  flags?: string;
  cid?: string;
  lane?: string;
  q?: string;
}

export interface FilterProblem {
  /** Where in the text it is, in characters. */
  at: number;
  length: number;
  why: string;
}

export type ReadFilter = { query: PacketQuery; problem: null } | { query: null; problem: FilterProblem };

export interface FilterField {
  name: string;
  example: string;
  why: string;
}

export const FIELDS: FilterField[] = [
  { name: "ip.addr", example: "ip.addr == 10.0.0.1", why: "address of either end" },
  { name: "tcp.port", example: "tcp.port == 443", why: "port of either end, of TCP or UDP" },
  { name: "tcp.flags.syn", example: "tcp.flags.syn == 1", why: "a TCP flag: syn, ack, fin, reset, push, urg, ece, cwr" },
  { name: "conn", example: "conn == 17", why: "a connection over all its capture points" },
  { name: "lane", example: "lane == \"any.pcap#0\"", why: "a capture point, or all of a file" },
];

const FLAGS: Record<string, string> = { syn: "SYN", ack: "ACK", fin: "FIN", reset: "RST", rst: "RST", push: "PSH", psh: "PSH", urg: "URG", ece: "ECE", cwr: "CWR" };
const PLAIN: Record<string, keyof PacketQuery> = {
  "ip.addr": "address", "ipv6.addr": "address", "tcp.port": "port", "udp.port": "port", port: "port", conn: "cid", lane: "lane",
};
/** Whole numbers only. */
const NUMBERS: ReadonlySet<keyof PacketQuery> = new Set(["port", "cid"]);
const PART = /^\s*(!?)\s*([a-z][a-z0-9_.]*)\s*(?:(==|=)\s*("[^"]*"|\S+))?\s*$/i;

/** Reads a filter; without any comparison it is looked for in the ends of connections, as it stands. */
export function readPacketFilter(text: string): ReadFilter {
  if (!text.trim()) return { query: {}, problem: null };
  if (!/==|=|&&|\|\||[!<>]|\.flags\./.test(text)) return { query: { q: text.trim() }, problem: null };
  const query: PacketQuery = {};
  let at = 0;
  for (const part of text.split("&&")) {
    const problem = addPart(query, part);
    if (problem !== null) {
      const lead = part.length - part.trimStart().length;
      return { query: null, problem: { at: at + lead, length: Math.max(1, part.trim().length), why: problem } };
    }
    at += part.length + 2;
  }
  return { query, problem: null };
}

/** Adds one comparison; what is wrong with it, or null. */
function addPart(query: PacketQuery, part: string): string | null {
  if (!part.trim()) return "A comparison is missing beside &&.";
  if (part.includes("||")) return "Only && is understood here.";
  if (/!=|[<>]/.test(part)) return "Only == is understood here; a flag that is not set is == 0.";
  const match = PART.exec(part);
  const name = match?.[2]?.toLowerCase() ?? "";
  const value = match?.[4]?.replaceAll('"', "");
  const flag = /^tcp\.flags\.([a-z]+)$/.exec(name)?.[1];
  if (flag !== undefined) return addFlag(query, flag, value ?? "1", match?.[1] === "!");
  const field = PLAIN[name];
  if (field === undefined) return `\`${name || part.trim()}\` is not known here; there are ${FIELDS.map((each) => each.name).join(", ")}.`;
  if (!value) return `\`${name}\` needs a value: ${name} == …`;
  if (NUMBERS.has(field) && !/^\d+$/.test(value)) return `\`${value}\` is no number.`;
  if (query[field] !== undefined && query[field] !== value) return `\`${name}\` stands here twice.`;
  query[field] = value;
  return null;
}

function addFlag(query: PacketQuery, name: string, value: string, negated: boolean): string | null {
  const flag = FLAGS[name];
  if (flag === undefined) return `\`${name}\` is no TCP flag; there are ${Object.keys(FLAGS).join(", ")}.`;
  const set = value === "1" || value.toLowerCase() === "true";
  if (!set && value !== "0" && value.toLowerCase() !== "false") return `A flag is 1 or 0, not \`${value}\`.`;
  const wanted = set === negated ? `!${flag}` : flag;
  const opposite = wanted.startsWith("!") ? flag : `!${flag}`;
  const others = query.flags?.split(",") ?? [];
  if (others.includes(opposite)) return `\`${name}\` cannot be set and not set.`;
  query.flags = [...new Set([...others, wanted])].join(",");
  return null;
}

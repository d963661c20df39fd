/** Sentences for somebody who is new to all this: under claims, lanes and columns, when explain mode is on. */
import { termsIn } from "./terms";

/** One sentence for each text: about the first of its terms that was not explained above; null where it holds none. */
export function plainSentences(texts: readonly string[]): (string | null)[] {
  const said = new Set<string>();
  return texts.map((text) => {
    const terms = termsIn(text).map((found) => found.term);
    const chosen = terms.find((term) => !said.has(term.name)) ?? terms[0];
    if (chosen) said.add(chosen.name);
    return chosen?.means ?? null;
  });
}

const ROLES = {
  loss: "In short: a packet was lost, and the sender waited before its retransmission.",
  stall: "In short: packets were delayed in a queue and released together.",
  burst: "In short: the same call was repeated where one would be enough.",
  collision: "In short: two connections collided on the same port or entry at the same time.",
  ok: "In short: this is normal.",
  neutral: "In short: this is unusual, but not necessarily a problem.",
} as const;

/** What kind of trouble it is, whatever its cause. */
export function roleSentence(role: keyof typeof ROLES): string {
  return ROLES[role];
}

const LANES = {
  pod: "a container's network interface", bridge: "joins the containers of a node", nat: "rewrites addresses (NAT)",
  uplink: "the node's uplink", host: "the machine itself", kernel: "kernel state", group: "connections to the same destination with the same outcome", unknown: "a vantage point (where packets were captured)",
} as const;

export function laneSentence(role: keyof typeof LANES): string {
  return LANES[role];
}

const COLUMNS: Record<string, string> = {
  time: "when it happened, counted from the first packet", delta: "time since the row above", frame: "number of the packet in its file",
  lane: "vantage point", source: "sender", destination: "receiver", protocol: "protocol", what: "what the packet does",
  flags: "TCP flags", length: "size on the wire", connection: "its connection", outcome: "how the attempt ended",
  client: "who asked", server: "the server", start: "when the first packet was sent", "connect ms": "time until the SYN-ACK",
  tries: "number of SYNs", "retry gaps (s)": "times between the retransmissions", "translated to": "sender's address after NAT",
  "seen at": "vantage points in path order", bytes: "how much was carried", finding: "letter of the finding", mark: "symbol in the chart",
  lasts: "from beginning to end", basis: "captured, or inferred", evidence: "the packets and lines that prove it",
  line: "line in the text", state: "connection state in the kernel", method: "the request", status: "HTTP status code",
  "round trip": "time from request to response", instance: "number of the case",
};

/** What a column holds; `why` is what the table itself says of it. */
export function columnSentence(name: string, why?: string): string | null {
  return COLUMNS[name.toLowerCase()] ?? why ?? termsIn(name)[0]?.term.means ?? null;
}

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
  loss: "In short: a packet was sent and did not arrive, so somebody waited before trying again.",
  stall: "In short: packets waited somewhere for a while and then went on together.",
  burst: "In short: the same was asked for several times where once might do.",
  collision: "In short: two connections wanted the same place at the same moment.",
  ok: "In short: this is as it should be.",
  neutral: "In short: this was noticed and may matter; it need not be trouble.",
} as const;

/** What kind of trouble it is, whatever its cause. */
export function roleSentence(role: keyof typeof ROLES): string {
  return ROLES[role];
}

const LANES = {
  pod: "a container's end of its cable", bridge: "joins the containers of a node", nat: "rewrites addresses on the way",
  uplink: "the node's way to the network", host: "the machine itself", kernel: "what the kernel wrote down", group: "conversations that went to the same place and ended the same way", unknown: "a place where somebody listened",
} as const;

export function laneSentence(role: keyof typeof LANES): string {
  return LANES[role];
}

const COLUMNS: Record<string, string> = {
  time: "when it happened, counted from the first packet", "since previous": "time since the row above", frame: "number of the packet in its file",
  lane: "where it was seen", source: "who sent it", destination: "whom it was for", protocol: "the language of the packet", what: "what the packet does",
  flags: "signals of TCP in the packet", length: "size on the wire", connection: "the conversation it belongs to", outcome: "how the attempt ended",
  client: "who asked", server: "who was asked", start: "when the first packet was sent", "connect ms": "how long until the server had answered",
  tries: "how often the first packet was sent", "retry gaps (s)": "waits between the tries", "translated to": "sender's address after NAT",
  "seen at": "the places it passed, in order", bytes: "how much was carried", finding: "the letter of what was found here", mark: "the kind of sign in the chart",
  lasts: "from beginning to end", basis: "seen in a file, or concluded from what was seen", evidence: "the packets and lines that prove it",
  line: "place in the text", state: "what the kernel thinks the connection is doing", method: "what was asked", status: "the server's answer as a number",
  "round trip": "time from question to answer", instance: "number of the case",
};

/** What a column holds; `why` is what the table itself says of it. */
export function columnSentence(name: string, why?: string): string | null {
  return COLUMNS[name.toLowerCase()] ?? why ?? termsIn(name)[0]?.term.means ?? null;
}

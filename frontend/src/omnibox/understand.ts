/** What somebody typed or pasted into the omnibox. Pure: nothing is asked here. */
import { NS_PER_MS, NS_PER_S, NS_PER_US } from "../format/offset";

type Mode = "all" | "commands" | "filter" | "glossary";

export interface Understood {
  mode: Mode;
  /** Without the sign that chose the mode. */
  words: string;
  /** "A": letter of a finding. */
  letter: string | null;
  /** "#1228", "eth0.pcap#1228", "frame 1228". */
  frame: { input: string | null; number: number } | null;
  /** "+1.025s", "40 ms": ns after the first packet. */
  offset_ns: number | null;
  /** "10.0.0.1:41361", "10.0.0.1", ":41361", "fe80::1": what the lists can be filtered by. */
  endpoint: string | null;
}

const MODES: Record<string, Mode> = { ">": "commands", "/": "filter", "?": "glossary" };
const UNITS: Record<string, number> = { s: NS_PER_S, ms: NS_PER_MS, µs: NS_PER_US, us: NS_PER_US, ns: 1 };

export function understand(text: string): Understood {
  const trimmed = text.trim();
  const mode = MODES[trimmed[0] ?? ""] ?? "all";
  const words = mode === "all" ? trimmed : trimmed.slice(1).trim();
  const reads = mode === "all";
  return {
    mode, words,
    letter: reads && /^[a-z]{1,2}$/i.test(words) ? words.toUpperCase() : null,
    frame: reads ? frameOf(words) : null,
    offset_ns: reads ? offsetOf(words) : null,
    endpoint: reads ? endpointOf(words) : null,
  };
}

function frameOf(words: string): Understood["frame"] {
  const match = /^(?:(?:frame|packet)\s+#?|(.*)#f?)(\d[\d,]*)$/i.exec(words);
  if (!match) return null;
  const number = Number((match[2] ?? "").replaceAll(",", ""));
  return number >= 1 ? { input: match[1]?.trim() || null, number } : null;
}

/** All digits are kept: the integer part and the fraction are counted apart. */
function offsetOf(words: string): number | null {
  const match = /^(\+?)(\d[\d,]*)?(?:\.(\d{1,9}))?\s*(s|ms|µs|us|ns)?$/.exec(words);
  const [, sign, whole, fraction, unit] = match ?? [];
  if (!match || (whole === undefined && fraction === undefined) || (!sign && !unit)) return null;
  const size = UNITS[unit ?? "s"] ?? NS_PER_S;
  const rest = fraction === undefined ? 0 : Math.round(Number(`0.${fraction}`) * size);
  return Number((whole ?? "0").replaceAll(",", "")) * size + rest;
}

/** An address or its beginning, a port, or both; arrows and brackets around them, as in our own tables, do no harm. */
function endpointOf(words: string): string | null {
  const first = words.split(/\s*(?:→|->)\s*/)[0] ?? "";
  const bare = first.replace(/^:(?=\d+$)/, "").trim();
  if (/^\d{1,3}(?:\.\d{1,3}){2,3}\.?(?::\d{1,5})?$/.test(bare)) return bare;
  if (/^\d{1,5}$/.test(bare) && Number(bare) <= 65_535) return bare;
  if (/^\[?[0-9a-f]*:[0-9a-f:]+\]?(?::\d{1,5})?$/i.test(bare) && bare.split(":").length > 2) return bare;
  return null;
}

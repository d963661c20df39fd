/** Packets as lines of a list. */

export interface PacketLine {
  time_ns: string;
  /** ns after t0. */
  t: number;
  lane: string;
  input: string;
  frame: number;
  what: string;
  protocol: string;
  source: string;
  destination: string;
  flags: string;
  sequence: number;
  acknowledgement: number;
  payload_bytes: number;
  original_bytes: number;
  cid: number | null;
  /** What is seen in it, and the message that begins in it. */
  info: string;
  /** The same packet at other capture points. */
  joined: { lane: string; input: string; frame: number }[];
  /** Ids of the findings that it is evidence of. */
  findings: string[];
}

export interface PacketPart {
  items: PacketLine[];
  /** Given where a place in the list was asked for. */
  total: number | null;
}

/** Completions in a filter, in place of the characters from `begin` to the cursor. */
export interface FilterSuggestions {
  begin: number;
  items: { text: string; why: string; packets: number | null }[];
}

/** Places beside the list: round times, and marks of findings. */
export interface PacketRail {
  items: { offset: number; t: number; finding: string | null }[];
}

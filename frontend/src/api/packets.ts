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
}

export interface PacketPart {
  items: PacketLine[];
  /** Given where a place in the list was asked for. */
  total: number | null;
}

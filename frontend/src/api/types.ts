/** What the REST API answers. */
import type { components } from "./schema";
import type { Basis, Evidence, Glyph, Lane, Role, Severity, Verdict } from "./report";

export type * from "./dumps";
export type * from "./report";

export type Analysis = "queued" | "running" | "finished" | "failed" | "cancelled";

export interface InvestigationVerdict {
  cause: string;
  title: string;
  verdict: Verdict;
  statement: string;
  role: Role;
}

export interface Investigation {
  id: string;
  label: string;
  created: string;
  analysis: Analysis | null;
  demo: boolean;
  verdict: InvestigationVerdict | null;
  time_lost_s: number;
  files_total: number;
  packets_total: number;
  share_count: number;
  source: "browser" | "ci" | "api";
  /** Of the detectors that found something. */
  finding_kinds: string[];
  hosts: string[];
  /** What the reader may do to it; nothing behind a link. */
  may: Right[];
}

export type Right = "change" | "share" | "delete" | "download";

export interface Stage {
  number: number;
  of: number;
  name: string;
}

export interface EvidenceFile {
  id: string;
  /** Keys or tokens pass in it in clear text. */
  holds_credentials?: boolean;
  name: string;
  kind: string | null;
  format: string | null;
  size_bytes: number;
  sha256: string | null;
  status: "uploading" | "stored" | "decoding" | "decoded" | "failed" | "refused";
  stage: Stage | null;
  packets: number;
  bytes_done: number;
  rate_packets_s: number | null;
  warnings: string[];
  error: string | null;
  lines: number;
  lines_not_understood: number;
  /** 1-based numbers of the first of them. */
  not_understood_at: number[];
}

/** A finding of an analysis that still runs. */
export interface FindingSoFar {
  id: string;
  kind: string;
  severity: Severity;
  title: string;
  role: Role;
  count: number;
  time_lost_s: number;
}

export interface Progress {
  analysis: Analysis | null;
  stage: Stage | null;
  files: EvidenceFile[];
  findings_so_far: number;
  /** In the order in which they came; empty once there is a report. */
  found_so_far: FindingSoFar[];
  message: string | null;
  updated: string;
}

export interface Page<Item> {
  items: Item[];
  next_cursor?: string | null;
  total?: number;
}

export interface TimelineLane {
  id: string;
  name: string;
  role: Lane["role"] | "group";
  captured: boolean;
  note: string;
  /** First and last packet, ns after t0; null where nothing was captured. */
  first: number | null;
  last: number | null;
  packets_total: number;
  /** Ids of the findings that have a mark on it. */
  findings: string[];
  /** Start of each bucket that holds a packet, ns after t0. */
  start: number[];
  packets: number[];
  bytes: number[];
  syns: number[];
}

export interface TimelinePacket {
  t: number;
  lane: string;
  frame: number;
  input: string;
  what: string;
  src: string;
  dst: string;
  len: number;
  cid?: number | null;
  /** Its lane where lanes are groups of connections; empty where that lane was not asked for. */
  group?: string | null;
}

export interface TimelineMark {
  id: string;
  glyph: Glyph;
  role: Role;
  basis: Basis;
  t: number;
  t_end: number | null;
  lanes: string[];
  label: string;
  finding: string;
  instance: number | null;
  evidence: Evidence[];
  /** How many marks this one stands for where the server grouped them. */
  count?: number | null;
  /** A guide's tolerance in seconds; a comb's height. */
  value?: number | null;
}

export interface Timeline {
  /** Epoch nanoseconds as a decimal string; everything else is relative to it. */
  t0: string;
  span: { from: number; to: number };
  from: number;
  to: number;
  bucket_ns: number;
  mode: "density" | "packets";
  lanes: TimelineLane[];
  packets: TimelinePacket[];
  marks: TimelineMark[];
  marks_total: number;
  complete_until_ns: number | null;
  /** Time without marks, where it was asked for. */
  gaps: { from: number; to: number }[];
  /** Lanes that were not asked for, and how many findings are about one of them. */
  lanes_left: { lanes: number; findings: number };
}

export interface Connection {
  cid: number;
  protocol: string;
  client: string;
  client_port: number;
  server: string;
  server_port: number;
  start_ns: string;
  end_ns: string;
  connect_ms: number | null;
  tries: number;
  retry_gaps_s: number[];
  outcome: components["schemas"]["Connection"]["outcome"];
  nat_client: string | null;
  nat_client_port: number | null;
  nat_server: string | null;
  nat_server_port: number | null;
  client_bytes: number;
  server_bytes: number;
  packets: number;
  seen_at: string[];
  missing_at: string[];
  sightings: { vantage: string; input: string; connection: number }[];
  finding_ids: string[];
  instance: number | null;
  joined_because: string;
}

export interface ConnectionPacket {
  time_ns: string;
  t_rel_ns: number;
  lane: string;
  input: string;
  frame: number;
  from_client: boolean;
  what: string;
  source: string;
  destination: string;
  flags: string;
  sequence: number;
  acknowledgement: number;
  payload_bytes: number;
  timestamp_value: number | null;
  ip_id: number;
  /** What it was wrapped in, from the outside in; empty for nothing. */
  tunnel?: string;
}

export interface ConnectionPage {
  items: Connection[];
  total: number;
  next_cursor: string | null;
  /** All that there are, to filter by. */
  outcomes: Connection["outcome"][];
}

export interface ConnectionDetail {
  connection: Connection;
  lanes: Lane[];
  packets: ConnectionPacket[];
  marks: TimelineMark[];
  usual_connect_ms: number | null;
  previous_cid: number | null;
  next_cid: number | null;
  filters: { frame_filter: string; portable_filter: string };
}

export interface FrameColumn {
  name: string;
  value: string | number | null;
  unit?: string;
  meaning?: string;
}

export interface Frame {
  file: string;
  input: string;
  frame: number;
  columns: FrameColumn[];
  raw: string | null;
}

export interface DumpLines {
  lines: { n: number; text: string }[];
  lines_total: number;
}

/** A detector's rule in Markdown. */
export interface DetectorRule {
  kind: string;
  rule: string;
}

/** A cause's page in Markdown. */
export interface CauseRule {
  cause: string;
  title: string;
  page: string;
}

export interface Recognition {
  /** Empty where nothing is known. */
  kind: string;
  lines: number;
  lines_not_understood?: { n: number; text: string }[];
}

export type Share = components["schemas"]["Share"] & { url_path?: string; secret?: string };
/** What a new link shows. */
export type ShareOptions = components["schemas"]["ShareOptions"];
/** A part of the time, what a filter leaves of it, and some lanes. */
export type ShareView = components["schemas"]["View"];
/** A link's session, and what the link shows. */
export type ShareSession = components["schemas"]["ShareSession"];

export interface Demo {
  name: string;
  title: string;
  symptom: string;
}

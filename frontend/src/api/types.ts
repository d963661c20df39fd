/** What the REST API answers; the report's parts are those of `stallscope.report/1`. */

export type Severity = "info" | "warning" | "critical";
export type Verdict = "confirmed" | "likely" | "possible" | "cannot-tell";
export type Role = "loss" | "stall" | "burst" | "collision" | "ok" | "neutral";
export type Basis = "seen" | "inferred";
export type Glyph =
  | "instant" | "repeat" | "missing" | "ladder" | "path" | "pair"
  | "band" | "comb" | "bracket" | "step" | "guide" | "note";
export type Analysis = "queued" | "running" | "finished" | "failed" | "cancelled";

export interface Evidence {
  input: string;
  frames: number[];
  lines: number[];
  note?: string;
}

export interface ReportMark {
  glyph: Glyph;
  role: Role;
  basis: Basis;
  start: string;
  end: string | null;
  lanes: string[];
  evidence: Evidence[];
  label: string;
  instance: number | null;
  value: number | null;
}

export interface VantagePoint {
  id: string;
  name: string;
  link_type: string;
  packets: number;
}

export interface ReportInput {
  name: string;
  sha256: string;
  kind: "capture" | "dump";
  format: string;
  packets: number;
  bytes: number;
  first: string | null;
  last: string | null;
  host: string | null;
  captured_at: string | null;
  captured_at_basis: "text" | "given" | "counters" | "unknown";
  vantage_points: VantagePoint[];
  lines: number;
  lines_not_understood: number;
  warnings: string[];
  error: string | null;
}

export interface ReportTable {
  name: string;
  columns: { name: string; unit: string }[];
  rows: unknown[][];
  rows_total: number;
}

export interface Finding {
  id: string;
  kind: string;
  severity: Severity;
  confidence: number;
  title: string;
  summary: string;
  count: number;
  first: string | null;
  last: string | null;
  time_lost_s: number;
  measures: Record<string, unknown>;
  affected: Record<string, unknown>[];
  events: Record<string, unknown>[];
  evidence: Evidence[];
  marks: ReportMark[];
  tables: ReportTable[];
}

export interface Claim {
  role: "step" | "for" | "against";
  text: string;
  evidence: Evidence[];
}

export interface Rival {
  cause: string;
  title: string;
  status: "ruled-out" | "possible" | "cannot-tell";
  because: string;
  command: string | null;
}

export interface Remedy {
  what: string;
  command: string | null;
  applies_to: string;
  check: string;
  proof: string;
  undo: string;
  side_effect: string;
  versions: string | null;
}

export interface Diagnosis {
  cause: string;
  title: string;
  confidence: number;
  verdict: Verdict;
  statement: string;
  role: Role;
  claims: Claim[];
  rivals: Rival[];
  findings: string[];
  supporting: string[];
  contradicting: string[];
  missing: { what: string; command: string }[];
  remedies: Remedy[];
  references: string[];
  refutation: string;
  time_lost_s: number;
  figures: { name: string; value: string }[];
}

export interface Checked {
  kind: string;
  status: "found" | "clear" | "not-checkable";
  why: string;
}

export interface Quality {
  status: "good" | "caution";
  text: string;
  evidence: Evidence[];
}

export interface Lane {
  id: string;
  name: string;
  role: "pod" | "bridge" | "nat" | "uplink" | "host" | "kernel" | "unknown";
  captured: boolean;
  packets: number;
  first: string | null;
  last: string | null;
  note: string;
}

export interface Report {
  schema: "stallscope.report/1";
  label: string;
  created: string;
  tool: { version: string };
  inputs: ReportInput[];
  findings: Finding[];
  diagnoses: Diagnosis[];
  checked: Checked[];
  quality: Quality[];
  lanes: Lane[];
}

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
}

export interface Stage {
  number: number;
  of: number;
  name: string;
}

export interface EvidenceFile {
  id: string;
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
}

export interface Progress {
  analysis: Analysis | null;
  stage: Stage | null;
  files: EvidenceFile[];
  findings_so_far: number;
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
  role: Lane["role"];
  captured: boolean;
  note: string;
  /** First and last packet, ns after t0; null where nothing was captured. */
  first: number | null;
  last: number | null;
  packets_total: number;
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
  count?: number;
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
  outcome: "established" | "refused" | "unreachable" | "unanswered" | "partial";
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

export interface Recognition {
  kind: string | null;
  lines: number;
  lines_not_understood?: { n: number; text: string }[];
}

export interface Share {
  id: string;
  url_path?: string;
  secret?: string;
  created?: string;
  expires: string | null;
  revoked?: string | null;
  opened?: number;
}

export interface Demo {
  name: string;
  title: string;
  symptom: string;
}

/** The outline of the report `stallscope.report/1` that pages load, part by part. */

export type Severity = "info" | "warning" | "critical";
export type Verdict = "confirmed" | "likely" | "possible" | "cannot-tell";
export type Role = "loss" | "stall" | "burst" | "collision" | "ok" | "neutral";
export type Basis = "seen" | "inferred";
export type Glyph =
  | "instant" | "repeat" | "missing" | "ladder" | "path" | "pair"
  | "band" | "comb" | "bracket" | "step" | "guide" | "note";

export interface Evidence {
  input: string;
  frames: number[];
  lines: number[];
  note?: string;
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
  /** These two are whole or empty; page by page they are asked for as rows. */
  affected: Record<string, unknown>[];
  events: Record<string, unknown>[];
  /** Perhaps the first part only: `frames_total` counts the different frames of all of it. */
  evidence: Evidence[];
  frames_total: number;
  /** Without rows. */
  tables: ReportTable[];
  /** The kind of trouble that most of its marks show. */
  role: Role;
  marks_total: number;
  /** Highest number of an instance that has marks; 0 without marks. */
  instances: number;
}

/** One instance of a finding; without times where no mark tells them. */
export interface FindingInstance {
  instance: number;
  start: string | null;
  end: string | null;
  /** Different frames that prove it. */
  frames: number;
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

/** One side of a change that has its price either way. */
export interface Choice {
  setting: string;
  gains: string;
  costs: string;
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
  choice: Choice[];
  /** Whether `command` changes anything; it only reads otherwise. */
  changes: boolean;
}

/** The one thing to do first: a change, something to read, or somebody to ask. */
export interface DoNow {
  action: "fix" | "confirm" | "ask";
  what: string;
  /** As it is to be typed. */
  command: string | null;
  applies_to: string;
}

/** Whom a cause affects at one destination, or at it and others that differ in nothing but their address. */
export interface Impact {
  unit: "connections" | "lookups";
  destination: string;
  other_destinations: number;
  affected: number;
  total: number;
  longest_s: number;
  baseline_s: number | null;
}

export interface GroupRow {
  diagnosis: string;
  finding: string | null;
  impact: Impact;
  time_lost_s: number;
}

/** Diagnoses of one cause, equally sure, at several destinations; the first stands for all of them. */
export interface CauseGroup {
  cause: string;
  title: string;
  role: Role;
  verdict: Verdict;
  statement: string;
  unit: Impact["unit"];
  diagnoses: string[];
  destinations: number;
  affected: number;
  total: number;
  time_lost_s: number;
  longest_s: number;
  shared: string;
  /** By time lost, the most first; `rows_total` counts them all. */
  rows: GroupRow[];
  rows_total: number;
}

export interface Diagnosis {
  /** Unlike any other's in the report, where the cause need not be; empty in old reports. */
  id: string;
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
  /** Missing where it is about no destination of connections or lookups, and in old reports. */
  impact?: Impact | null;
  do_now?: DoNow | null;
}

/** What one cause explains of the delayed connections. */
export interface AccountLine {
  cause: string;
  title: string;
  count: number;
  time_lost_s: number;
}

/** Every connection delayed by `threshold_s` or more, counted once. */
export interface Account {
  threshold_s: number;
  delayed: number;
  time_lost_s: number;
  explained: AccountLine[];
  unexplained: number;
  unexplained_time_lost_s: number;
  unexplained_evidence: Evidence[];
}

/** How many failed or took `slow_from_s` or more, whether or not a rule fired. */
export interface Outcome {
  what: "connections" | "lookups" | "requests" | "tls-handshakes";
  total: number;
  failed: number;
  slow: number;
  slow_from_s: number;
  by_outcome: { outcome: string; count: number; failed: boolean; evidence: Evidence[] }[];
  slowest: Evidence[];
  /** Whom those that failed were meant for, the most failures first. */
  by_destination: { destination: string; total: number; failed: number }[];
}

export interface Checked {
  kind: string;
  status: "found" | "harmless" | "clear" | "not-checkable" | "failed";
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
  /** Ids of the same vantage point in the other files, where rotated parts of one capture were joined. */
  parts?: string[];
}

export interface Report {
  /** What served requests consist of; null where no server was seen to ask others. */
  requests: { statement: string; shapes: { examples: Evidence[] }[] } | null;
  schema: "stallscope.report/1";
  label: string;
  created: string;
  tool: { version: string };
  inputs: ReportInput[];
  /** Files that were given, by themselves or in a bundle, and are no evidence; `not_used_total` counts them all. */
  not_used: { name: string; why: string }[];
  not_used_total: number;
  /** The most telling; `findings_total` counts them all, as `diagnoses_total` and `inputs_total` do for theirs. */
  findings: Finding[];
  findings_total: number;
  diagnoses: Diagnosis[];
  diagnoses_total: number;
  /** Missing in outlines that an older version wrote. */
  groups?: CauseGroup[];
  inputs_total: number;
  /** How many names of addresses there are; missing in outlines that an older version wrote. */
  names_total?: number;
  checked: Checked[];
  /** Missing where there were no packets to count. */
  account?: Account | null;
  outcomes: Outcome[];
  quality: Quality[];
  lanes: Lane[];
  /** What each detector, cause and list took: seconds of processor time, and by how much the process grew. */
  timings: { kind: string; cpu_s: number; grown_bytes: number }[];
}

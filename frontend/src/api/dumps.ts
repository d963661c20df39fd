/** Kernel dumps: what each holds, and how values changed from one to the next. */

export interface DumpColumn {
  name: string;
  unit: string;
}

/** A table of a dump; its rows are asked for page by page. */
export interface DumpTableHead {
  name: string;
  columns: DumpColumn[];
  rows_total: number;
}

/** One dump; a text may hold several. */
export interface KernelDump {
  input: string;
  number: number;
  kind: string;
  host: string;
  captured_at: string | null;
  captured_at_basis: string;
  lines: number;
  lines_not_understood: number;
  not_understood_at: number[];
  warnings: string[];
  tables: DumpTableHead[];
}

export interface DumpRow {
  line: number;
  /** The line as it was uploaded. */
  text: string;
  cells: (string | number | boolean | null)[];
}

export interface DumpTablePage {
  columns: DumpColumn[];
  items: DumpRow[];
  total: number;
}

export interface SeriesPoint {
  input: string;
  lines: number[];
  time_ns: string | null;
  value: number;
  per_cpu: Record<string, number>;
}

/** A counter or a gauge over the dumps that hold it. */
export interface DumpSeries {
  kind: string;
  host: string;
  subject: string;
  name: string;
  nature: "counter" | "gauge";
  order: "times" | "counters";
  rise: number | null;
  rise_per_cpu: Record<string, number>;
  points: SeriesPoint[];
  points_total: number;
}

export interface SeriesList {
  items: DumpSeries[];
  contradictions: string[];
}

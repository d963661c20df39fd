/** Tables of a report as rows and columns to show: which columns hold frames, times, numbers, and how wide they are. Pure. */
import type { ReportTable } from "../api/types";
import type { BigColumn } from "../ui/BigTable";
import { figure, nameAndUnit, valueWords } from "./measureWords";

export type CellKind = "text" | "number" | "time" | "frame" | "frames";

interface RecordColumn extends BigColumn {
  kind: CellKind;
}

/** A row of a table in the order of its columns, or a record. */
export type Row = unknown[] | Record<string, unknown>;

export interface RecordTable {
  name: string;
  columns: RecordColumn[];
  rows: unknown[][];
  rowsTotal: number;
  /** Names of records, in the order of the columns; null for rows of a table. */
  keys: string[] | null;
  /** Column that names the input of a row's frames; -1 without one. */
  inputColumn: number;
}

const INPUT = "input";
const WIDTH_FROM_ROWS = 200;
const WIDEST = 44;
const NARROWEST = 5;
const TIME = /^\d{4}-\d\d-\d\dT[\d:]+(?:\.\d+)?Z$/;

/** A table of a finding. */
export function tableOfReport(table: ReportTable): RecordTable {
  const heads = table.columns.map((column) => ({ name: column.name.replaceAll("_", " "), unit: column.unit }));
  return tableOf(table.name, heads, table.rows, table.rows_total);
}

/** Records with the same names, such as events: a column a name, in the order of their first use. */
export function tableOfRecords(name: string, records: readonly Record<string, unknown>[], rowsTotal = records.length): RecordTable {
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const rows = records.map((record) => keys.map((key) => record[key] ?? null));
  return { ...tableOf(name, keys.map(nameAndUnit), rows, rowsTotal), keys };
}

/** The values of a row in the order of the columns. */
export function valuesOf(table: RecordTable, row: Row): unknown[] {
  return Array.isArray(row) ? row : (table.keys ?? []).map((key) => row[key] ?? null);
}

function tableOf(name: string, heads: { name: string; unit: string }[], rows: unknown[][], rowsTotal: number): RecordTable {
  const inputColumn = heads.findIndex((head) => head.name === INPUT);
  const columns = heads.map((head, at): RecordColumn => {
    const sample = rows.slice(0, WIDTH_FROM_ROWS).map((row) => row[at]);
    const kind = kindOf(head.name, sample, inputColumn >= 0);
    return { ...head, unit: kind === "time" ? "UTC" : head.unit, kind, number: kind === "number", width: widthOf(head, kind, sample) };
  });
  return { name, columns, rows, rowsTotal, keys: null, inputColumn };
}

function kindOf(name: string, sample: unknown[], hasInput: boolean): CellKind {
  const given = sample.filter((value) => value !== null && value !== undefined);
  const all = (test: (value: unknown) => boolean) => given.length > 0 && given.every(test);
  if (hasInput && /(^| )frames$/.test(name) && all(Array.isArray)) return "frames";
  if (hasInput && /(^| )frame$/.test(name) && all(Number.isInteger)) return "frame";
  if (all((value) => typeof value === "string" && TIME.test(value))) return "time";
  return all((value) => typeof value === "number") ? "number" : "text";
}

function widthOf(head: { name: string; unit: string }, kind: CellKind, sample: unknown[]): number {
  const longest = Math.max(0, ...sample.map((value) => cellWords(value, kind).length + (kind === "frame" ? 2 : 0)));
  const ofHead = head.name.length + (head.unit ? head.unit.length + 3 : 0);
  return Math.min(WIDEST, Math.max(NARROWEST, longest, ofHead) + 1);
}

export function cellWords(value: unknown, kind: CellKind): string {
  if (value === null || value === undefined || value === "") return "–";
  if (kind === "time") return String(value).slice(11).replace("Z", "");
  if (kind === "frames" && Array.isArray(value)) return value.map((frame) => `#${frame}`).join(" ");
  return typeof value === "number" ? figure(value) : valueWords(value, "");
}

/** Frames that a cell names, for links. */
export function framesOf(value: unknown, kind: CellKind): number[] {
  const given = kind === "frames" && Array.isArray(value) ? value : kind === "frame" ? [value] : [];
  return given.filter((frame): frame is number => Number.isInteger(frame) && frame > 0);
}

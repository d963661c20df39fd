import { expect, test } from "vitest";

import { cellWords, framesOf, tableOfRecords, tableOfReport } from "../recordTable";

const table = tableOfReport({
  name: "instances",
  columns: [{ name: "first", unit: "UTC" }, { name: "gap", unit: "s" }, { name: "input", unit: "" }, { name: "retry frame", unit: "" }],
  rows: [["2026-11-21T01:11:43.806873051Z", 1.031794, "a.pcap", 307], ["2026-11-21T01:11:44.000000001Z", null, "a.pcap", null]],
  rows_total: 29,
});

test("columns are known by what they hold", () => {
  expect(table.columns.map((column) => column.kind)).toEqual(["time", "number", "text", "frame"]);
  expect(table.inputColumn).toBe(2);
  expect(table.rowsTotal).toBe(29);
});

test("frames without an input are plain numbers", () => {
  const plain = tableOfReport({ name: "t", columns: [{ name: "frame", unit: "" }], rows: [[7]], rows_total: 1 });
  expect(plain.columns[0]?.kind).toBe("number");
});

test("records of different shape share their columns", () => {
  const events = tableOfRecords("events", [{ start: "x", gap_s: 1 }, { start: "y", input: "a", frames: [1, 2] }]);
  expect(events.columns.map((column) => `${column.name}|${column.unit ?? ""}`)).toEqual(["start|", "gap|s", "input|", "frames|"]);
  expect(events.rows).toEqual([["x", 1, null, null], ["y", null, "a", [1, 2]]]);
  expect(events.columns[3]?.kind).toBe("frames");
});

test("cells are said in words, and frames come out as numbers", () => {
  expect(cellWords("2026-11-21T01:11:43.806873051Z", "time")).toBe("01:11:43.806873051");
  expect(cellWords(null, "number")).toBe("–");
  expect(cellWords([307, 308], "frames")).toBe("#307 #308");
  expect(framesOf([307, "x", 0], "frames")).toEqual([307]);
  expect(framesOf(307, "number")).toEqual([]);
});

import { expect, test } from "vitest";

import { rowText } from "../rowText";

const ROWS = [
  { path: '/a,"b"', ms: -1.5, seen_at: ["cni0", "eth0"], status: null },
  { path: "=HYPERLINK(1)\tx\ny", ms: 2, seen_at: [], sightings: [{ input: "a" }] },
];

test("CSV quotes what has to be quoted, and a formula becomes a text", () => {
  expect(rowText(ROWS, "csv").split("\r\n")).toEqual([
    "path,ms,seen_at,status,sightings",
    '"/a,""b""",-1.5,cni0 eth0,,',
    "\"'=HYPERLINK(1)\tx\ny\",2,,,\"[{\"\"input\"\":\"\"a\"\"}]\"",
    "",
  ]);
});

test("TSV has one line a row, whatever a cell holds", () => {
  const lines = rowText(ROWS, "tsv").split("\n");
  expect(lines).toHaveLength(4);
  expect(lines.slice(0, 3).map((line) => line.split("\t").length)).toEqual([5, 5, 5]);
  expect(lines[2]).toContain("'=HYPERLINK(1) x y");
});

test("JSON is the rows themselves", () => {
  expect(JSON.parse(rowText(ROWS, "json"))).toEqual(JSON.parse(JSON.stringify(ROWS)));
});

test.each(["=1+1", "@x", "＝1", "＠x", "\n=1"])("%j is no formula", (text) => {
  expect(rowText([{ a: text }], "tsv").split("\n")[1]?.startsWith("'")).toBe(true);
});

test("negative numbers in texts stay numbers", () => {
  expect(rowText([{ a: "-1.5" }, { a: "-x" }], "csv")).toBe("a\r\n-1.5\r\n'-x\r\n");
});

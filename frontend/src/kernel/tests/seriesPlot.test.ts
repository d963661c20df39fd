import { expect, test } from "vitest";

import type { DumpSeries, KernelDump } from "../../api/types";
import { chosenDump, deltaTables, linePath, plotGroups, plotOf, textsOf, timeRange } from "../seriesPlot";

function series(changes: Partial<DumpSeries>, values: [time_s: number | null, value: number][]): DumpSeries {
  return {
    kind: "some-stats", host: "", subject: "", name: "drop", nature: "counter", order: "times", rise: 0, rise_per_cpu: {},
    points: values.map(([time_s, value]) => ({ input: "a", lines: [1], time_ns: time_s === null ? null : `${time_s}000000000`, value, per_cpu: {} })),
    points_total: values.length, ...changes,
  };
}

test("the range goes from the first dump with a time to the last", () => {
  expect(timeRange([series({}, [[5, 1], [9, 1]]), series({}, [[2, 0], [null, 0]])])).toEqual({ from_ns: 2_000_000_000n, to_ns: 9_000_000_000n });
  expect(timeRange([series({}, [[null, 1], [3, 2]])])).toBeNull();
});

test("a gauge is a line from zero, a counter a staircase from where it began", () => {
  const range = { from_ns: 0n, to_ns: 10_000_000_000n };
  const gauge = plotOf(series({ nature: "gauge" }, [[0, 5], [5, 10], [10, 0]]), range);
  expect(linePath(gauge, 100, 10)).toBe("M0.0 5.0L50.0 0.0L100.0 10.0");
  const counter = plotOf(series({}, [[0, 100], [10, 104]]), range);
  expect([counter.low, counter.high]).toEqual([100, 104]);
  expect(linePath(counter, 100, 10)).toBe("M0.0 10.0H100.0V0.0");
});

test("only what changes is drawn, together with what is of the same thing", () => {
  const all = [
    series({ subject: "s", name: "one", nature: "gauge" }, [[1, 1], [2, 2]]),
    series({ subject: "s", name: "two", nature: "gauge" }, [[1, 3], [2, 4]]),
    series({ subject: "t", name: "one", nature: "gauge" }, [[1, 7], [2, 7]]),
  ];
  const range = timeRange(all);
  if (range === null) throw new Error("no range");
  expect(plotGroups(all, range).map((group) => [group.title, group.plots.length])).toEqual([["s", 2]]);
});

test("counters are compared by kind and host, the largest rise first, contradictions on top", () => {
  const [table, ...none] = deltaTables([
    series({ name: "still", rise: 0 }, [[1, 4], [2, 4]]),
    series({ name: "some", rise: 2, rise_per_cpu: { 10: 1, 2: 1 } }, [[1, 0], [2, 2]]),
    series({ name: "many", rise: 29 }, [[1, 0], [2, 29]]),
    series({ name: "falls", rise: null }, [[1, 9], [2, 1]]),
    series({ nature: "gauge" }, [[1, 9], [2, 1]]),
  ]);
  expect(none).toEqual([]);
  expect(table?.changed.map((each) => each.name)).toEqual(["falls", "many", "some"]);
  expect(table?.unchanged.map((each) => each.name)).toEqual(["still"]);
  expect(table?.cpus).toEqual(["2", "10"]);
});

test("the address names a dump of a text, whatever its name holds", () => {
  const dumps = [{ input: "a~b.txt", number: 0 }, { input: "a~b.txt", number: 1 }, { input: "c", number: 0 }] as KernelDump[];
  expect(chosenDump(dumps, "a~b.txt~1")).toBe(dumps[1]);
  expect(chosenDump(dumps, "c~7")).toBe(dumps[0]);
  expect(chosenDump(dumps, undefined)).toBe(dumps[0]);
  expect(textsOf(dumps).map((text) => text.dumps.length)).toEqual([2, 1]);
});

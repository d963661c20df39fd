import { beforeEach, expect, test } from "vitest";

import { chooseTicks } from "../ticks";
import { linearAxis } from "../timeAxis";
import { nextReading, readTime, setClock, zeroWords, type Clock } from "../../format/clock";

const T0 = "1795223503486947163";
const MARK_NS = 319_925_888;
const at = (reading: Clock["reading"], markNs: number | null = MARK_NS): Clock => ({ reading, markNs, t0: T0 });

beforeEach(() => setClock({ reading: "start", markNs: null, t0: null }));

test("a time reads the same wherever it is shown: on the ruler as in full", () => {
  for (const reading of ["start", "mark"] as const) {
    const ticks = chooseTicks(linearAxis({ fromNs: 268_334_000, durationNs: 1_135_015_000 }, 1150), reading, MARK_NS, T0);
    expect(ticks.length).toBeGreaterThan(5);
    for (const { t, label } of ticks) expect(parseFloat(label.replace("−", "-"))).toBeCloseTo(parseFloat(readTime(t, at(reading)).replace("−", "-")), 6);
  }
});

test("counts from the first packet, from the selected mark, or as a clock does", () => {
  expect(readTime(MARK_NS, at("start"))).toBe("+0.319925888 s");
  expect(readTime(MARK_NS, at("mark"))).toBe("+0.000000000 s");
  expect(readTime(MARK_NS, at("mark", null))).toBe("+0.319925888 s");
  expect(readTime(MARK_NS, at("clock"))).toMatch(/^\d\d:\d\d:43\.806873051$/);
});

test("says once which moment is zero", () => {
  expect(zeroWords(at("start"))).toMatch(/^0 = .*43\.486947163, first packet$/);
  expect(zeroWords(at("mark"))).toMatch(/^0 = .*43\.806873051, selected mark$/);
  expect(zeroWords(at("clock"))).toBe("");
});

test("goes round, and leaves out the mark where none is selected", () => {
  nextReading();
  expect(readTime(0, { ...at("clock"), reading: "clock" })).toMatch(/43\.486947163$/);
});

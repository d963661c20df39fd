import { expect, test } from "vitest";

import type { Finding } from "../../api/types";
import { findingBars, rowAt, rowsOfFindings, stretches } from "../findingBars";
import type { Selection } from "../urlState";
import { layoutLanes } from "../laneLayout";
import { shapesOf, toothLength, type Brush, type Shape } from "../shapes";
import { liftOf, LIFT_PX } from "../stacking";
import { linearAxis } from "../timeAxis";
import { sampleMark, sampleTimeline } from "./sampleTimeline";

const ROLES = { loss: "#f00", stall: "#541", burst: "#00f", collision: "#e0e", ok: "#0a0", neutral: "#777" };
const TOKENS = { surface: "#fff", text: "#111", textDim: "#666", line: "#ddd", roles: ROLES, roleTexts: ROLES };
const GEOMETRY = layoutLanes(sampleTimeline().lanes, 1000);

function brush(toothNs: number): Brush {
  return { x: (t) => t / 1e6, geometry: GEOMETRY, tokens: TOKENS, opacity: 1, strong: false, slot: { index: 0, of: 1 }, accent: "stall", toothNs, lift: 0 };
}

function heightOf(lastsNs: number, longestNs: number): number {
  const mark = sampleMark({ id: "c", glyph: "comb", role: "stall", t: 0, t_end: lastsNs });
  const { y1, y2 } = shapesOf(mark, brush(longestNs))[0]?.shape as { y1: number; y2: number };
  return y1 - y2;
}

test("a tooth of a comb is one line where it was sent, as high as it took long", () => {
  const shapes = shapesOf(sampleMark({ id: "c", glyph: "comb", role: "stall", t: 5e6, t_end: 105e6 }), brush(100e6));
  expect(shapes.map((shape) => shape.type)).toEqual(["line"]);
  expect(shapes[0]?.shape).toMatchObject({ x1: 5, x2: 5 });
  expect(heightOf(50e6, 100e6)).toBeCloseTo(heightOf(100e6, 100e6) / 2);
  expect(heightOf(1, 100e6)).toBe(2);
});

test("only a comb has teeth", () => {
  expect(toothLength(sampleMark({ id: "b", glyph: "band", t: 0, t_end: 9 }))).toBe(0);
  expect(toothLength(sampleMark({ id: "c", glyph: "comb", t: 1, t_end: 9 }))).toBe(8);
});

const bar = (finding: string, instance: number, from: number, to: number) => ({ finding, instance, from, to, role: "loss" as const });

test("instances of one finding that overlap or touch are one stretch, those of two findings are not", () => {
  const spans = stretches([bar("a", 2, 5, 20), bar("a", 1, 0, 5), bar("b", 1, 3, 4), bar("a", 3, 21, 30)]).map((one) => [one.finding, one.from, one.to]);
  expect(spans).toEqual([["a", 0, 20], ["a", 21, 30], ["b", 3, 4]]);
});

const FINDING = { id: "a", title: "SYN retransmissions", count: 100 } as Finding;
const names = (shapes: Shape[]) => shapes.filter((shape) => shape.type === "text").map((shape) => shape.style?.["text"]);

test("a hundred overlapping instances are filled once, and the chosen one apart", () => {
  const instances = Array.from({ length: 100 }, (_, at) => bar("a", at + 1, at, at + 50));
  const row = { instances, findings: [FINDING], rows: ["a"], more: 0, letters: new Map([["a", "A"]]), widthPx: 1000 };
  const bars = (selection: Selection | null) => findingBars({ ...row, selection }, (t) => t, TOKENS).filter((shape) => shape.type === "rect");
  expect(bars(null)).toHaveLength(1);
  expect(bars({ finding: "a", instance: 50, mark: null })).toHaveLength(2);
});

test("the name stands in the bar of its finding where it fits, beside it where not, and never on when instances were", () => {
  const row = { findings: [FINDING], rows: ["a"], more: 0, letters: new Map([["a", "A"]]), selection: null, widthPx: 1000 };
  const at = (spans: [number, number][]) => {
    const drawn = findingBars({ ...row, instances: spans.map(([from, to], n) => bar("a", n + 1, from, to)) }, (t) => t, TOKENS);
    const text = drawn.find((shape) => shape.type === "text")?.style as { x: number; y: number };
    return { text, rects: drawn.filter((shape) => shape.type === "rect").map((shape) => shape.shape as { x: number; y: number; width: number; height: number }) };
  };
  const spread = at([[100, 110], [300, 310], [700, 710]]);
  expect(spread.rects.map(({ x, width }) => [x, width])).toEqual([[100, 610], [100, 10], [300, 10], [700, 10]]);
  expect(spread.text.x).toBeGreaterThan(100);
  for (const { y } of spread.rects.slice(1)) expect(spread.text.y + 6.5).toBeLessThanOrEqual(y);
  expect(at([[100, 104]]).text.x).toBeGreaterThan(104);
  const late = at([[990, 999]]).text.x;
  expect(late + (2 + 1 + FINDING.title.length) * 7.2).toBeLessThanOrEqual(990);
});

test("each finding has a row with its name, and those without one are counted", () => {
  const findings = ["a", "b", "c", "d", "e", "f"].map((id) => ({ ...FINDING, id, title: `of ${id}` }));
  const marked = new Set(findings.map((finding) => finding.id));
  expect(rowsOfFindings(findings, new Set(["b"]), undefined)).toEqual({ rows: ["b"], more: 0 });
  expect(rowsOfFindings(findings.slice(0, 4), marked, undefined)).toEqual({ rows: ["a", "b", "c", "d"], more: 0 });
  expect(rowsOfFindings(findings, marked, "f")).toEqual({ rows: ["a", "b", "c", "f"], more: 2 });
  const { rows, more } = rowsOfFindings(findings, marked, undefined);
  const instances = findings.map((finding) => bar(finding.id, 1, 100, 500));
  const drawn = findingBars({ instances, findings, rows, more, letters: new Map(), selection: null, widthPx: 1000 }, (t) => t, TOKENS);
  expect(names(drawn)).toEqual([...["a", "b", "c", "d"].map((id) => `  of ${id}`), "+2 findings"]);
  const tops = drawn.filter((shape) => shape.type === "rect").map((shape) => Number(shape.shape?.["y"]));
  expect(tops.map(rowAt)).toEqual([0, 1, 2, 3]);
  expect(new Set(tops).size).toBe(4);
  const apart = findingBars({ instances: [], findings, rows: ["a"], more: 0, letters: new Map(), selection: null, widthPx: 1000 }, (t) => t, TOKENS);
  expect(names(apart)).toEqual(["  of a: none in view"]);
});

test("a missing packet stands at its time, above what it would hide", () => {
  const axis = linearAxis({ fromNs: 0, durationNs: 1_000_000 }, 1000);
  const gone = sampleMark({ id: "x", glyph: "missing", role: "loss", t: 500_000 });
  const beside = (t: number) => [gone, sampleMark({ id: "s", t })];
  expect(liftOf(gone, beside(500_000), axis)).toBe(LIFT_PX);
  expect(liftOf(gone, beside(489_000), axis)).toBe(LIFT_PX);
  expect(liftOf(gone, beside(487_000), axis)).toBe(0);
  expect(liftOf(gone, [gone, sampleMark({ id: "s", t: 500_000, lanes: ["far"] })], axis)).toBe(0);
  const [cross] = shapesOf(gone, { ...brush(1), x: axis.x, lift: LIFT_PX });
  const [down] = cross?.children ?? [];
  expect(down?.shape).toMatchObject({ x1: 494, x2: 506 });
});

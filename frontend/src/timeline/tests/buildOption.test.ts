import { describe, expect, it } from "vitest";

import { buildOption, type ChartContent, type ChartView } from "../buildOption";
import { placeLabels } from "../labels";
import { marksOfNotes } from "../../notes/noteWords";
import { layoutLanes } from "../laneLayout";
import { chosenGroups, visibleMarks } from "../marks";
import type { Shape } from "../shapes";
import { linearAxis } from "../timeAxis";
import type { Tokens } from "../tokens";
import { sampleMark, sampleTimeline } from "./sampleTimeline";

const ROLES = { loss: "#f00", stall: "#541", burst: "#00f", collision: "#e0e", ok: "#0a0", neutral: "#777" };
const TOKENS: Tokens = { surface: "#fff", text: "#111", textDim: "#666", line: "#ddd", roles: ROLES, roleTexts: ROLES };
const WINDOW = { fromNs: 0, durationNs: 2_000_000_000 };
const AXIS = linearAxis(WINDOW, 1000);
const SELECTION = { finding: "one", instance: 1, mark: null };

function draw(selection: ChartView["selection"] = null) {
  const timeline = sampleTimeline();
  const view: ChartView = { axis: AXIS, geometry: layoutLanes(timeline.lanes, 1000), selection, currentMark: null, filter: "" };
  const content: ChartContent = {
    timeline, overview: timeline, findings: [], findingRows: { rows: [], more: 0 }, letters: new Map(),
    marks: visibleMarks(timeline.marks, WINDOW, selection, true), chosen: chosenGroups(timeline.marks, selection),
  };
  return { option: buildOption(view, content, TOKENS), view };
}

function shapes(id: string, selection: ChartView["selection"] = null): Shape[] {
  const found = draw(selection).option.series.find((series) => series.id === id);
  return found?.data.flatMap((_, dataIndex) => found.renderItem({ dataIndex })?.children ?? []) ?? [];
}

describe("option", () => {
  it("uses value axes in ns, never time, with ECharts' own zoom and animation off", () => {
    const { option } = draw();
    expect(option.xAxis.map((axis) => axis.type)).toEqual(["value", "value"]);
    expect(option.animation).toBe(false);
    expect(option.dataZoom[0]).toMatchObject({ disabled: true, filterMode: "none", startValue: 0, endValue: 2_000_000_000 });
    expect(option.series.every((series) => series.progressive === 0)).toBe(true);
  });

  it("draws one density polygon a lane", () => {
    const { option, view } = draw();
    expect(option.series.find((series) => series.id === "density")?.data).toHaveLength(view.geometry.rows.length);
  });

  it("draws what is missing last of all marks, in the colour of its role", () => {
    const marks = shapes("marks");
    const cross = marks.at(-1);
    expect(cross?.type).toBe("group");
    expect(cross?.children?.[0]?.style?.["stroke"]).toBe("#f00");
  });

  it("draws a note as dashed lines over all lanes at both ends, with a flag in its lane and its author", () => {
    const stretched = { id: "n", kind: "note" as const, text: "eth0 was\nreplaced", author: "ann", created: "", from: 500_000_000, to: 1_500_000_000, lane: "far", finding: "", cause: "", diagnosis: "", may_delete: false };
    const marks = marksOfNotes([stretched, { ...stretched, id: "o", from: 200_000_000, to: null, lane: "" }, { ...stretched, from: null, to: null }]);
    const timeline = sampleTimeline({ marks });
    const view: ChartView = { axis: AXIS, geometry: layoutLanes(timeline.lanes, 1000), selection: null, currentMark: null, filter: "" };
    const content: ChartContent = { timeline, overview: timeline, findings: [], findingRows: { rows: [], more: 0 }, letters: new Map(), marks, chosen: new Set() };
    const of = (id: string) => buildOption(view, content, TOKENS).series.find((series) => series.id === id);
    const drawn = of("guides")?.data.map((_, dataIndex) => of("guides")?.renderItem({ dataIndex })?.children ?? []) ?? [];
    const { lanesBottom, rows } = view.geometry;
    expect(drawn.map((shapes) => shapes.map((shape) => shape.type))).toEqual([["line", "line", "polygon"], ["line", "polygon"]]);
    expect(drawn[0]?.slice(0, 2).map((line) => line.shape)).toEqual([250, 750].map((x) => ({ x1: x, y1: 0, x2: x, y2: lanesBottom })));
    expect(drawn[0]?.[0]?.style?.["lineDash"]).toEqual([5, 3]);
    const far = rows.find((row) => row.lane.id === "far")?.middle ?? 0;
    expect(drawn[0]?.[2]?.shape).toEqual({ points: [[250, far - 10], [260, far - 5], [250, far]] });
    expect(drawn[1]?.[1]?.shape).toEqual({ points: [[100, 0], [110, 5], [100, 10]] });
    expect(placeLabels(marks, () => false, view.geometry, AXIS).map((label) => label.text)).toContain("ann: eth0 was replaced");
  });

  it("draws guides of the selected instance only, with their tolerance", () => {
    expect(shapes("guides")).toEqual([]);
    const [strip, line] = shapes("guides", SELECTION);
    expect(strip?.shape).toMatchObject({ x: 450, width: 100 });
    expect(line?.shape).toMatchObject({ x1: 500, x2: 500 });
  });

  it("outlines inferred marks dashed", () => {
    const diamond = shapes("marks").find((shape) => shape.type === "polygon");
    expect(diamond?.style?.["lineDash"]).toEqual([3, 2]);
  });
});

describe("a counter between two dumps", () => {
  const steps = [
    sampleMark({ id: "s1", glyph: "step", t: 0, t_end: 1_000_000_000, label: "drop 2 → 31", instance: null }),
    sampleMark({ id: "s2", glyph: "step", t: 0, t_end: 1_000_000_000, label: "insert_failed 0 → 29", instance: null }),
  ];

  function stairs(): [number, number][][] {
    const timeline = sampleTimeline({ marks: steps });
    const view: ChartView = { axis: AXIS, geometry: layoutLanes(timeline.lanes, 1000), selection: null, currentMark: null, filter: "" };
    const content: ChartContent = { timeline, overview: timeline, findings: [], findingRows: { rows: [], more: 0 }, letters: new Map(), marks: steps, chosen: new Set() };
    const marks = buildOption(view, content, TOKENS).series.find((series) => series.id === "marks");
    const drawn = steps.flatMap((_, dataIndex) => marks?.renderItem({ dataIndex })?.children ?? []);
    return drawn.filter((shape) => shape.type === "polyline").map((shape) => shape.shape?.["points"] as [number, number][]);
  }

  it("stays flat until the later one and rises there: nothing is interpolated", () => {
    const [first] = stairs();
    expect(first?.slice(0, 3).map(([x]) => x)).toEqual([0, 500, 500]);
    expect(first?.[0]?.[1]).toBe(first?.[1]?.[1]);
    expect(first?.[2]?.[1]).toBeLessThan(first?.[1]?.[1] ?? 0);
  });

  it("names each counter beside its own staircase", () => {
    const { rows, ...rest } = layoutLanes(sampleTimeline().lanes, 1000);
    const labels = placeLabels(steps, () => false, { rows, ...rest }, AXIS);
    const stairsOf = new Map(steps.map((mark, at) => [mark.label, stairs()[at]]));
    expect(labels).toHaveLength(2);
    for (const label of labels) {
      const own = stairsOf.get(label.text);
      expect(label.y).toBeLessThan(own?.[0]?.[1] ?? 0);
      expect(label.y).toBeGreaterThan(own?.[2]?.[1] ?? Infinity);
    }
  });

  it("leaves each counter a part of the lane for itself", () => {
    const [drop, insertFailed] = stairs();
    expect(drop?.[0]?.[1]).toBeLessThan(insertFailed?.[2]?.[1] ?? 0);
  });
});

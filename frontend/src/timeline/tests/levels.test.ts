import { expect, test } from "vitest";

import { buildOption, glyphMarks, type ChartContent, type ChartView } from "../buildOption";
import { boxOf, placeLabels } from "../labels";
import { layoutLanes } from "../laneLayout";
import { legendEntries } from "../Legend";
import { crowdsOf, fullestColumn, MOST_GLYPHS } from "../levels";
import { chosenGroups } from "../marks";
import { obstaclesOf, overlap } from "../obstacles";
import { dropLine, type Brush, type Shape } from "../shapes";
import { linearAxis } from "../timeAxis";
import type { TimelineMark } from "../../api/types";
import { sampleLane, sampleMark, sampleTimeline } from "./sampleTimeline";

const ROLES = { loss: "#f00", stall: "#541", burst: "#00f", collision: "#e0e", ok: "#0a0", neutral: "#777" };
const TOKENS = { surface: "#fff", text: "#111", textDim: "#666", line: "#ddd", roles: ROLES, roleTexts: ROLES };
const SECOND = 1_000_000_000;
const AXIS = linearAxis({ fromNs: 0, durationNs: 10 * SECOND }, 1200);
const LANES = [sampleLane({ id: "near" }), sampleLane({ id: "far" })];
const GEOMETRY = layoutLanes(LANES, 1200);

/** A lost SYN, the collision that lost it and its retransmission a second later, `times` times over the window. */
function incident(times: number): TimelineMark[] {
  return Array.from({ length: times }, (_, n) => {
    const [t, instance] = [Math.round((n * 8.9 * SECOND) / times), n + 1];
    return [
      sampleMark({ id: `s${n}`, t, instance, label: `SYN of ${n}` }),
      sampleMark({ id: `x${n}`, t, instance, glyph: "missing", role: "loss", lanes: ["far"], label: "never seen" }),
      sampleMark({ id: `p${n}`, t, instance, glyph: "pair", role: "collision", lanes: ["near", "far"], label: "both want port 41361" }),
      sampleMark({ id: `l${n}`, t, t_end: t + SECOND, instance, glyph: "ladder", role: "loss", label: "after 1.0 s" }),
      sampleMark({ id: `r${n}`, t: t + SECOND, instance, glyph: "repeat", role: "loss", label: "SYN retransmission" }),
      sampleMark({ id: `b${n}`, t, t_end: t + SECOND / 2, instance, glyph: "bracket", role: "burst", lanes: ["far"], label: "2 calls" }),
    ];
  }).flat();
}

function viewed(marks: TimelineMark[], changes: Partial<ChartView> = {}): [ChartView, ChartContent] {
  const timeline = sampleTimeline({ lanes: LANES, marks });
  const view: ChartView = { axis: AXIS, geometry: GEOMETRY, selection: null, currentMark: null, filter: "", ...changes };
  const chosen = chosenGroups(marks, view.selection);
  return [view, { timeline, overview: timeline, findings: [], findingRows: { rows: [], more: 0 }, letters: new Map(), marks, chosen }];
}

function countShapes(shape: Shape | undefined): number {
  if (shape === undefined) return 0;
  return shape.type === "group" ? (shape.children ?? []).reduce((sum, child) => sum + countShapes(child), 0) : 1;
}

test("up to 60 marks of a role in a lane are glyphs, more are counted in its color", () => {
  const lost = (times: number) => Array.from({ length: times }, (_, n) => sampleMark({ id: `x${n}`, t: n * 1000, glyph: "missing", role: "loss", lanes: ["far"] }));
  expect(crowdsOf(lost(MOST_GLYPHS), GEOMETRY, AXIS).size).toBe(0);
  const crowds = crowdsOf(lost(MOST_GLYPHS + 1), GEOMETRY, AXIS);
  expect([...crowds.values()].map(({ lane, role, marks }) => [lane, role, marks])).toEqual([["far", "loss", MOST_GLYPHS + 1]]);
  expect(fullestColumn(crowds)).toBe(MOST_GLYPHS + 1);
  const [view, content] = viewed(lost(MOST_GLYPHS + 1));
  expect(glyphMarks(view, content)).toEqual([]);
  expect(legendEntries(content.marks, crowds)).toEqual([]);
  const polygon = buildOption(view, content, TOKENS).series.find((series) => series.id === "crowds")?.renderItem({ dataIndex: 0 });
  expect(polygon?.children?.map((shape) => shape.style?.["fill"])).toEqual(["#f00"]);
});

test("the teeth of a sawtooth are drawn, however many there are", () => {
  const teeth = Array.from({ length: 200 }, (_, n) => sampleMark({ id: `c${n}`, t: n * 1000, t_end: n * 1000 + 50, glyph: "comb", role: "stall" }));
  expect(crowdsOf(teeth, GEOMETRY, AXIS).size).toBe(0);
  expect(glyphMarks(...viewed(teeth))).toHaveLength(200);
});

test("of counted marks the selected instance and the one pointed at are drawn whole", () => {
  const marks = incident(200);
  const [view, content] = viewed(marks, { selection: { finding: "one", instance: 7, mark: null } });
  expect(glyphMarks(view, content).map((mark) => mark.instance)).toEqual(Array<number>(6).fill(7));
  const [pointed, same] = viewed(marks, { currentMark: "x9" });
  expect(new Set(glyphMarks(pointed, same).map((mark) => mark.instance))).toEqual(new Set([10]));
  const [all, whole] = viewed(marks, { selection: { finding: "one", instance: null, mark: null } });
  expect(glyphMarks(all, whole)).toEqual([]);
});

test("a thousand marks are drawn with few shapes", () => {
  const [view, content] = viewed(incident(300));
  const shapes = buildOption(view, content, TOKENS).series.reduce(
    (sum, series) => sum + series.data.reduce((each, _, dataIndex) => each + countShapes(series.renderItem({ dataIndex })), 0), 0);
  expect(shapes).toBeLessThanOrEqual(250);
});

test("no word meets another, an arc, a bracket or a handle, at six zooms", () => {
  const marks = incident(4);
  for (const seconds of [10, 5, 2, 1, 0.1, 0.001]) {
    const axis = linearAxis({ fromNs: 0, durationNs: seconds * SECOND }, 1200);
    const inView = marks.filter((mark) => mark.t <= seconds * SECOND);
    const labels = placeLabels(inView, () => false, GEOMETRY, axis);
    expect(labels.length).toBeGreaterThan(0);
    const boxes = labels.map(boxOf);
    const obstacles = obstaclesOf(inView, () => false, GEOMETRY, axis);
    boxes.forEach((box, at) => {
      expect(obstacles.filter((other) => overlap(box, other))).toEqual([]);
      expect(boxes.filter((other, index) => index !== at && overlap(box, other))).toEqual([]);
    });
  }
});

test("a packet that is missing hangs on the one that was seen", () => {
  const [seen, gone] = incident(1) as [TimelineMark, TimelineMark];
  const brush: Brush = { x: AXIS.x, geometry: GEOMETRY, tokens: TOKENS, opacity: 1, lift: 0, strong: true, slot: { index: 0, of: 1 }, accent: "loss", toothNs: 0 };
  const [line] = dropLine(gone, [seen, gone], brush);
  expect(line?.shape).toMatchObject({ x1: 0, x2: 0, y1: GEOMETRY.rows[0]?.middle, y2: GEOMETRY.rows[1]?.middle });
  expect(dropLine(gone, [gone], brush)).toEqual([]);
  expect(dropLine(gone, [{ ...seen, instance: 2 }, gone], brush)).toEqual([]);
});

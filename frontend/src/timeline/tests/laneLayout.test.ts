import { expect, it } from "vitest";

import { markAt } from "../hitTest";
import { hatchesOf, LANE_HEIGHT, layoutLanes, MAX_LANES, orderLanes } from "../laneLayout";
import { linearAxis } from "../timeAxis";
import { visibleMarks } from "../marks";
import { sampleLane, sampleTimeline } from "./sampleTimeline";

const AXIS = linearAxis({ fromNs: 0, durationNs: 1_000 }, 500);

it("hatches a lane nobody captured, and a capture outside its span", () => {
  expect(hatchesOf(sampleLane({ id: "x", captured: false, packets_total: 0 }), AXIS)).toMatchObject([{ leftPx: 0, widthPx: 500 }]);
  const late = hatchesOf(sampleLane({ id: "x", first: 200, last: 900 }), AXIS);
  expect(late).toMatchObject([{ leftPx: 0, widthPx: 100 }, { leftPx: 450, widthPx: 50 }]);
});

it("does not hatch a place that cannot be captured", () => {
  expect(hatchesOf(sampleLane({ id: "nat", role: "nat", captured: false, packets_total: 0 }), AXIS)).toEqual([]);
});

it("shows the chosen lanes in path order, at most twelve", () => {
  const lanes = Array.from({ length: 20 }, (_, i) => sampleLane({ id: `lane ${i}` }));
  expect(layoutLanes(lanes, 500).rows).toHaveLength(MAX_LANES);
  expect(layoutLanes(lanes, 500, { chosen: ["lane 7", "lane 3"] }).rows.map((row) => row.lane.id)).toEqual(["lane 3", "lane 7"]);
});

it("puts pinned lanes first, in the order they were pinned", () => {
  const lanes = ["a", "b", "c", "d"].map((id) => sampleLane({ id }));
  expect(orderLanes(lanes, ["d", "gone", "b"]).map((lane) => lane.id)).toEqual(["d", "b", "a", "c"]);
});

it("finds the missing mark before the packet beside it", () => {
  const { lanes, marks } = sampleTimeline();
  const geometry = layoutLanes(lanes, 1000);
  const all = { fromNs: 0, durationNs: 2_000_000_000 };
  const far = geometry.rows.find((row) => row.lane.id === "far");
  expect(markAt(visibleMarks(marks, all, null, true), geometry, linearAxis(all, 1000), 0, far?.middle ?? 0)?.id).toBe("m2");
  expect(markAt(visibleMarks(marks, all, null, true), geometry, linearAxis(all, 1000), 700, far?.middle ?? 0)).toBeNull();
});

it("collapses what there is no room for, and shows it when asked", () => {
  const lanes = Array.from({ length: 19 }, (_, i) => sampleLane({ id: `lane ${i}` }));
  expect(layoutLanes(lanes, 500).collapsed.map((lane) => lane.id)).toEqual(lanes.slice(MAX_LANES).map((lane) => lane.id));
  expect(layoutLanes(lanes, 500, { all: true }).collapsed).toEqual([]);
  expect(layoutLanes(lanes.slice(0, MAX_LANES), 500).collapsed).toEqual([]);
});

it("gives a pod that was seen elsewhere a lane of full height, hatched", () => {
  const pod = sampleLane({ id: "pod", role: "pod", captured: false, first: null, last: null });
  expect(layoutLanes([pod], 500).rows[0]?.height).toBe(LANE_HEIGHT);
  expect(hatchesOf(pod, AXIS)).toMatchObject([{ leftPx: 0, widthPx: 500 }]);
});

const IDS = (lanes: readonly { id: string }[]): string[] => lanes.map((lane) => lane.id);
const WITHOUT_PART = [
  sampleLane({ id: "pod0", findings: ["a"] }), sampleLane({ id: "pod1", captured: false, packets_total: 0 }), sampleLane({ id: "cni0" }),
  sampleLane({ id: "nat", role: "nat", captured: false, packets_total: 0 }), sampleLane({ id: "eth0", findings: ["a"] }),
];

it("collapses lanes that were not captured or hold nothing, unless they are pinned, chosen or asked for", () => {
  const { rows, collapsed } = layoutLanes(WITHOUT_PART, 500);
  expect(IDS(rows.map((row) => row.lane))).toEqual(["pod0", "cni0", "eth0"]);
  expect(IDS(collapsed)).toEqual(["pod1", "nat"]);
  expect(layoutLanes(WITHOUT_PART, 500, { pinned: ["nat"] }).rows).toHaveLength(4);
  expect(IDS(layoutLanes(WITHOUT_PART, 500, { chosen: ["pod1"] }).rows.map((row) => row.lane))).toEqual(["pod1"]);
  expect(layoutLanes(WITHOUT_PART, 500, { all: true })).toMatchObject({ collapsed: [], collapsible: true });
});

it("collapses captured lanes without findings where there are more than six, and none where nothing was found", () => {
  const lanes = (n: number, findings: string[]) => Array.from({ length: n }, (_, at) => sampleLane({ id: `lane ${at}`, findings: at < 2 ? findings : [] }));
  expect(layoutLanes(lanes(6, ["a"]), 500).rows).toHaveLength(6);
  expect(layoutLanes(lanes(7, ["a"]), 500).rows).toHaveLength(2);
  expect(layoutLanes(lanes(7, []), 500).rows).toHaveLength(7);
});

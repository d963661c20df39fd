import { expect, it } from "vitest";

import { markAt } from "../hitTest";
import { hatchesOf, layoutLanes, MAX_LANES, orderLanes, pxToTime, timeToPx } from "../laneLayout";
import { visibleMarks } from "../marks";
import { sampleLane, sampleTimeline } from "./sampleTimeline";

const W = { fromNs: 0, durationNs: 1_000 };

it("hatches a lane nobody captured, and a capture outside its span", () => {
  expect(hatchesOf(sampleLane({ id: "x", captured: false }), W, 500)).toMatchObject([{ leftPx: 0, widthPx: 500 }]);
  const late = hatchesOf(sampleLane({ id: "x", first: 200, last: 900 }), W, 500);
  expect(late).toMatchObject([{ leftPx: 0, widthPx: 100 }, { leftPx: 450, widthPx: 50 }]);
});

it("does not hatch a place that cannot be captured", () => {
  expect(hatchesOf(sampleLane({ id: "nat", role: "nat", captured: false }), W, 500)).toEqual([]);
});

it("shows the chosen lanes in path order, at most twelve", () => {
  const lanes = Array.from({ length: 20 }, (_, i) => sampleLane({ id: `lane ${i}` }));
  expect(layoutLanes(lanes, [], 500).rows).toHaveLength(MAX_LANES);
  expect(layoutLanes(lanes, ["lane 7", "lane 3"], 500).rows.map((row) => row.lane.id)).toEqual(["lane 3", "lane 7"]);
});

it("puts pinned lanes first, in the order they were pinned", () => {
  const lanes = ["a", "b", "c", "d"].map((id) => sampleLane({ id }));
  expect(orderLanes(lanes, ["d", "gone", "b"]).map((lane) => lane.id)).toEqual(["d", "b", "a", "c"]);
});

it("turns pixels into times and back", () => {
  expect(pxToTime(timeToPx(250, W, 500), W, 500)).toBe(250);
});

it("finds the missing mark before the packet beside it", () => {
  const { lanes, marks } = sampleTimeline();
  const geometry = layoutLanes(lanes, [], 1000);
  const all = { fromNs: 0, durationNs: 2_000_000_000 };
  const far = geometry.rows.find((row) => row.lane.id === "far");
  expect(markAt(visibleMarks(marks, all, null, true), geometry, all, 14, far?.middle ?? 0)?.id).toBe("m2");
  expect(markAt(visibleMarks(marks, all, null, true), geometry, all, 700, far?.middle ?? 0)).toBeNull();
});

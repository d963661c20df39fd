import { expect, test } from "vitest";

import type { Investigation } from "../../api/types";
import { lostSeconds, runsByLabel, trendPoints } from "../runs";

function run(id: string, label: string, created: string, time_lost_s = 0, analysis: Investigation["analysis"] = "finished"): Investigation {
  return { id, label, created, analysis, time_lost_s, demo: false, verdict: null, files_total: 1, packets_total: 1, share_count: 0 };
}

test("runs stand under their label, the newest first, and a run without a label under none", () => {
  const groups = runsByLabel([
    run("1", "nightly", "2026-01-01T00:00:00Z"), run("2", "checkout", "2026-01-02T00:00:00Z"),
    run("3", "nightly", "2026-01-03T00:00:00Z"), run("4", " ", "2026-01-04T00:00:00Z"),
  ]);
  expect(groups.map((group) => [group.label, group.runs.map((each) => each.id)])).toEqual([["nightly", ["3", "1"]], ["checkout", ["2"]]]);
});

test("a run that did not finish is no point of the trend", () => {
  const runs = [run("3", "n", "3", 9, "failed"), run("2", "n", "2", 4), run("1", "n", "1", 2)];
  expect(lostSeconds(runs)).toEqual([2, 4]);
});

test("the line starts at zero, and where nothing was ever lost it lies on the ground", () => {
  expect(trendPoints([2, 4])).toEqual([{ x: 0, y: 0.5 }, { x: 1, y: 0 }]);
  expect(trendPoints([0, 0]).map((point) => point.y)).toEqual([1, 1]);
  expect(trendPoints([])).toEqual([]);
});

import { expect, test } from "vitest";

import { lostSeconds, trendPoints } from "../runs";

test("a run that did not finish is no point of the trend, and the oldest comes first", () => {
  const runs = [{ analysis: "failed", time_lost_s: 9 }, { analysis: "finished", time_lost_s: 4 }, { analysis: "finished", time_lost_s: 2 }] as const;
  expect(lostSeconds([...runs])).toEqual([2, 4]);
});

test("the line starts at zero, and where nothing was ever lost it lies on the ground", () => {
  expect(trendPoints([2, 4])).toEqual([{ x: 0, y: 0.5 }, { x: 1, y: 0 }]);
  expect(trendPoints([0, 0]).map((point) => point.y)).toEqual([1, 1]);
  expect(trendPoints([])).toEqual([]);
});

import { expect, test } from "vitest";

import type { Finding, Timeline } from "../../api/types";
import { instancesOf, stripLanes, stripWindow } from "../localStrip";

const mark = (instance: number, start: string, end: string | null = null) => ({ instance, start, end, glyph: "instant" });
const finding = {
  id: "f", first: "2026-01-01T00:00:01.000000000Z", last: "2026-01-01T00:00:03.000000000Z",
  marks: [mark(1, "2026-01-01T00:00:01.000000000Z"), mark(2, "2026-01-01T00:00:02.000000000Z", "2026-01-01T00:00:03.000000000Z")],
} as unknown as Finding;
const T0 = String(Date.parse("2026-01-01T00:00:00Z") * 1_000_000);

test("the window is the finding's span and a tenth on either side", () => {
  expect(stripWindow(finding, null, T0)).toEqual({ from: 800_000_000, to: 3_200_000_000 });
});

test("an instance has its own window, and one moment is widened", () => {
  expect(stripWindow(finding, 2, T0)).toEqual({ from: 1_900_000_000, to: 3_100_000_000 });
  expect(stripWindow(finding, 1, T0)).toEqual({ from: 999_800_000, to: 1_000_200_000 });
  expect(instancesOf(finding)).toBe(2);
});

test("without a time there is no window", () => {
  expect(stripWindow({ ...finding, first: null, last: null }, null, T0)).toBeNull();
});

test("only lanes with marks are shown, and marks keep inside", () => {
  const timeline = {
    mode: "density", packets: [],
    lanes: [{ id: "a", start: [50], packets: [4] }, { id: "b", start: [], packets: [] }],
  } as unknown as Timeline;
  const marks = [{ id: "m", lanes: ["a"], glyph: "band", t: -50, t_end: 50 }] as unknown as Timeline["marks"];
  const [lane, ...none] = stripLanes(timeline, marks, { from: 0, to: 100 });
  expect(none).toEqual([]);
  expect(lane?.marks[0]).toMatchObject({ from: 0, to: 0.5 });
  expect(lane?.bars).toEqual([{ at: 0.5, height: 1 }]);
});

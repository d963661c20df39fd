import { expect, test } from "vitest";

import type { Timeline } from "../../api/types";
import { stripLanes, stripWindow } from "../localStrip";

const second = (n: number) => `2026-01-01T00:00:0${n}.000000000Z`;
const T0 = String(Date.parse("2026-01-01T00:00:00Z") * 1_000_000);

test("the window is the finding's span and a tenth on either side", () => {
  expect(stripWindow([second(1), second(3)], T0)).toEqual({ from: 800_000_000, to: 3_200_000_000 });
});

test("one moment is widened", () => {
  expect(stripWindow([second(1), second(1)], T0)).toEqual({ from: 999_800_000, to: 1_000_200_000 });
});

test("without a time there is no window", () => {
  expect(stripWindow([null, null], T0)).toBeNull();
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

import { expect, it } from "vitest";

import { layoutLanes } from "../laneLayout";
import { lensHandles } from "../lens";
import { linearAxis } from "../timeAxis";
import { sampleLane, sampleMark } from "./sampleTimeline";

const GEOMETRY = layoutLanes([sampleLane({ id: "near" }), sampleLane({ id: "far" })], 1000);
/** 1 px is 1 µs. */
const AXIS = linearAxis({ fromNs: 0, durationNs: 1_000_000 }, 1000);
const all = () => true;
const at = (id: string, t: number) => sampleMark({ id, t });

it("joins marks within 12 px, and no wider", () => {
  const near = lensHandles([at("a", 100_000), at("b", 112_000)], all, GEOMETRY, AXIS);
  expect(near).toHaveLength(1);
  expect(near[0]).toMatchObject({ apartNs: 12_000, marks: ["a", "b"] });
  expect(lensHandles([at("a", 100_000), at("b", 112_001)], all, GEOMETRY, AXIS)).toEqual([]);
});

it("shows both ends with air around them, and never less than a microsecond of it", () => {
  const [handle] = lensHandles([at("a", 500_000), at("b", 500_002)], all, GEOMETRY, AXIS);
  expect(handle?.window).toEqual({ fromNs: 499_000, durationNs: 2_002 });
});

it("needs two times: what happened at once is one mark, and a missing packet has no time", () => {
  expect(lensHandles([at("a", 7_000), at("b", 7_000)], all, GEOMETRY, AXIS)).toEqual([]);
  expect(lensHandles([at("a", 7_000), sampleMark({ id: "x", glyph: "missing", t: 7_500 })], all, GEOMETRY, AXIS)).toEqual([]);
});

it("a collision alone has two times", () => {
  const pair = sampleMark({ id: "p", glyph: "pair", t: 400_000, t_end: 402_121 });
  expect(lensHandles([pair], all, GEOMETRY, AXIS)[0]?.apartNs).toBe(2_121);
});

it("keeps to what is chosen, and shows none rather than too many", () => {
  const marks = Array.from({ length: 22 }, (_, i) => at(`m${i}`, Math.floor(i / 2) * 50_000 + (i % 2) * 1_000));
  expect(lensHandles(marks, all, GEOMETRY, AXIS)).toEqual([]);
  expect(lensHandles(marks, (mark) => ["m2", "m3"].includes(mark.id), GEOMETRY, AXIS)).toHaveLength(1);
});

import { describe, expect, it } from "vitest";

import { offset } from "../../format/offset";
import { chosenGroups, describeMark, instancesOf, isChosen, neighbour, visibleMarks } from "../marks";
import { sampleTimeline } from "./sampleTimeline";

const { marks, lanes } = sampleTimeline();
const ALL = { fromNs: 0, durationNs: 2_000_000_000 };
const FIRST = { finding: "one", instance: 1, mark: null };

describe("marks of a window", () => {
  it("leave guides out until an instance is selected", () => {
    expect(visibleMarks(marks, ALL, null, true).map((mark) => mark.id)).toEqual(["p1", "m1", "m2", "q1", "m3"]);
    expect(visibleMarks(marks, ALL, FIRST, true).map((mark) => mark.id)).toContain("m4");
    expect(visibleMarks(marks, ALL, FIRST, false).map((mark) => mark.id)).not.toContain("m4");
  });

  it("are those that touch it", () => {
    expect(visibleMarks(marks, { fromNs: 95, durationNs: 1_000 }, null, true).map((mark) => mark.id)).toEqual(["p1", "m1", "m2"]);
  });
});

describe("selection", () => {
  it("lights up other findings that rest on the same frame, and no others", () => {
    const chosen = chosenGroups(marks, FIRST);
    expect(marks.filter((mark) => isChosen(mark, chosen)).map((mark) => mark.id)).toEqual(["m1", "m2", "m3", "m4", "p1"]);
  });

  it("walks marks and stops at the ends", () => {
    expect(neighbour(marks, null, 1)?.id).toBe("m1");
    expect(neighbour(marks, "m1", 1)?.id).toBe("m2");
    expect(neighbour(marks, "m1", -1)?.id).toBe("m1");
  });

  it("spans an instance from its first to its last mark, guides aside", () => {
    expect(instancesOf(marks)[1]).toMatchObject({ finding: "one", instance: 1, from: 100, to: 1_000_000_100, role: "loss" });
  });
});

it("says lane, time, basis and finding in words", () => {
  const pair = marks.find((mark) => mark.id === "p1");
  const text = pair && describeMark(pair, lanes, new Map([["two", "B"]]), new Map([["two", 29]]), offset);
  expect(text).toBe("SYN, near, +0.000000090 s, lasts 10 ns, inferred, finding B, instance 1 of 29");
});

import { expect, test } from "vitest";

import { byState, gateOf } from "../compareWords";
import { waitScale } from "../waitScale";

test.each([
  ["finished", "worse", "fail"],
  ["finished", "mixed", "fail"],
  ["finished", "better", "pass"],
  ["finished", "same", "pass"],
  ["finished", "cannot-tell", "cannot tell"],
  ["finished", undefined, null],
  ["running", "same", "not finished"],
  ["failed", undefined, "not finished"],
  [null, undefined, "not finished"],
] as const)("analysis %s, outcome %s: %s", (analysis, outcome, gate) => expect(gateOf(analysis, outcome)).toBe(gate));

test("what matters comes first, and a state without things is left out", () => {
  const groups = byState([{ state: "same" as const }, { state: "new" as const }, { state: "same" as const }]);
  expect(groups.map((group) => [group.title, group.changes.length])).toEqual([["New", 1], ["Unchanged", 2]]);
});

test("waits of both sides share one logarithmic scale", () => {
  const scale = waitScale([
    { median_ms: 1, p95_ms: 5, p99_ms: 10 },
    { median_ms: 10, p95_ms: 50, p99_ms: 100 },
  ]);
  expect([scale(1), scale(10), scale(100), scale(0), scale(1000)]).toEqual([0, 0.5, 1, 0, 1]);
});

test("equal waits stand in the middle", () => {
  const scale = waitScale([{ median_ms: 2, p95_ms: 2, p99_ms: 2 }]);
  expect(scale(2)).toBe(0.5);
});

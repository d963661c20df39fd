import { expect, test } from "vitest";

import { byState, gateOf } from "../compareWords";

test.each([
  ["finished", "worse", "fail"],
  ["finished", "mixed", "fail"],
  ["finished", "better", "pass"],
  ["finished", "same", "pass"],
  ["finished", "cannot-tell", "undecided"],
  ["finished", undefined, null],
  ["running", "same", "not finished"],
  ["failed", undefined, "not finished"],
  [null, undefined, "not finished"],
] as const)("analysis %s, outcome %s: %s", (analysis, outcome, gate) => expect(gateOf(analysis, outcome)).toBe(gate));

test("what matters comes first, and a state without things is left out", () => {
  const groups = byState([{ state: "same" as const }, { state: "new" as const }, { state: "same" as const }]);
  expect(groups.map((group) => [group.title, group.changes.length])).toEqual([["New", 1], ["Unchanged", 2]]);
});

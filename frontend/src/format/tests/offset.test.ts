import { expect, it } from "vitest";

import { offset, stretch } from "../offset";

it("keeps every nanosecond of an offset", () => {
  expect(offset(353_498_169)).toBe("+0.353498169 s");
  expect(offset(-1)).toBe("−0.000000001 s");
});

it("names a stretch in the unit that fits", () => {
  expect([2_121, 42_000, 1_025_104_000, 12, 13_000_000].map(stretch)).toEqual(["2.121 µs", "42 µs", "1.025104 s", "12 ns", "13 ms"]);
});

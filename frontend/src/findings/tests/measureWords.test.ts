import { expect, test } from "vitest";

import { figure, measuresOf, nameAndUnit, valueWords } from "../measureWords";

test.each([
  ["retry_gap_median_s", "retry gap median", "s"],
  ["rival_distance_median_us", "rival distance median", "µs"],
  ["connections_per_s", "connections", "/s"],
  ["attempts_total", "attempts total", ""],
  ["_s", " s", ""],
])("%s is %s in %s", (key, name, unit) => {
  expect(nameAndUnit(key)).toEqual({ name, unit });
});

test("numbers keep their digits and are grouped", () => {
  expect(figure(13506)).toBe("13,506");
  expect(figure(1.01306)).toBe("1.01306");
  expect(figure(6.5e-5)).toBe("0.000065");
});

test("what is not known is said, and lists and records are read out", () => {
  expect(valueWords(null, "s")).toBe("unknown");
  expect(valueWords([1, 3, 7], "s")).toBe("1 s, 3 s, 7 s");
  expect(valueWords([], "")).toBe("none");
  expect(valueWords({ mean_ms: 2.5, count: 1200 }, "")).toBe("mean 2.5 ms, count 1,200");
  expect(valueWords(false, "")).toBe("no");
});

test("measures stay in the order of the report", () => {
  expect(measuresOf({ b_ms: 2, a: "x" })).toEqual([{ name: "b", value: "2 ms" }, { name: "a", value: "x" }]);
});

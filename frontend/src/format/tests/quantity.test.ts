import { expect, test } from "vitest";

import { ago, bytes, duration, percent, plural } from "../quantity";

test.each([
  [29.485514, "29.5 s"],
  [132, "132 s"],
  [0.013, "13 ms"],
  [0.00052, "520 µs"],
  [2.121e-6, "2.1 µs"],
  [4.2e-8, "42 ns"],
  [0, "0 s"],
])("%d s reads %s", (seconds, words) => expect(duration(seconds)).toBe(words));

test.each([
  [258, "258 B"],
  [1_697_356, "1.7 MB"],
  [8_200_000_000, "8.2 GB"],
])("%d bytes read %s", (size, words) => expect(bytes(size)).toBe(words));

test("one file, several files", () => {
  expect([plural(1, "file"), plural(13_545, "packet")]).toEqual(["1 file", "13,545 packets"]);
});

test("age in the largest unit that fits", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  expect(ago("2026-11-21T11:57:00Z", now)).toBe("3 min ago");
  expect(ago("2026-11-19T11:00:00Z", now)).toBe("2 d ago");
});

test("writes shares as reports do: never 0 % of some, nor 100 % of less than all", () => {
  expect([0, 0.0004, 0.048, 0.72, 0.95, 0.9996, 1].map(percent)).toEqual(["0 %", "less than 0.1 %", "4.8 %", "72 %", "95.0 %", "more than 99.9 %", "100 %"]);
});

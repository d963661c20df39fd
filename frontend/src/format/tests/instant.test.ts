import { expect, test } from "vitest";

import { epochNs, wallClock } from "../instant";

test("nanoseconds survive, which a floating-point epoch would lose", () => {
  const t0 = epochNs("2026-11-21T01:11:43.486947163Z");
  expect(t0).toBe(1_795_223_503_486_947_163n);
  expect(wallClock(String(t0), 2_121, 9)).toBe("01:11:43.486949284");
});

test("no time is no number", () => expect(epochNs("yesterday")).toBeNull());

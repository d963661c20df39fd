import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { wallClock } from "../instant";
import { clockText, dateWords, showZone, zoneWord } from "../zone";

const NOON_MS = Date.parse("2026-11-21T12:00:00Z");

beforeEach(() => {
  vi.spyOn(Date.prototype, "getTimezoneOffset").mockReturnValue(-150);
});

afterEach(() => {
  showZone("utc");
  vi.restoreAllMocks();
});

test("UTC is what is shown unless another zone was chosen", () => {
  expect(clockText(NOON_MS)).toBe("2026-11-21T12:00:00.000");
  expect(zoneWord(NOON_MS)).toBe("UTC");
  expect(dateWords("2026-11-21T12:00:00.5Z")).toBe("2026-11-21 12:00 UTC");
});

test("the zone of this machine is named with its distance", () => {
  showZone("local");
  expect(clockText(NOON_MS)).toBe("2026-11-21T14:30:00.000");
  expect(zoneWord(NOON_MS)).toBe("UTC+02:30");
  expect(wallClock(String(BigInt(NOON_MS) * 1_000_000n), 2_121, 9)).toBe("14:30:00.000002121");
  expect(dateWords("2026-11-21T12:00:07Z", 8)).toBe("2026-11-21 14:30:07 UTC+02:30");
});

test("west of Greenwich the distance is negative", () => {
  vi.spyOn(Date.prototype, "getTimezoneOffset").mockReturnValue(210);
  showZone("local");
  expect(zoneWord(NOON_MS)).toBe("UTC−03:30");
  expect(clockText(NOON_MS)).toBe("2026-11-21T08:30:00.000");
});

test("what is no time is shown as it is", () => expect(dateWords("soon")).toBe("soon"));

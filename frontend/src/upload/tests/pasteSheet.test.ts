import { expect, test } from "vitest";

import { utc } from "../PasteSheet";

test.each([
  ["2026-11-21 14:05", "2026-11-21T14:05Z"],
  ["2026-11-21T14:05:00Z", "2026-11-21T14:05:00Z"],
  ["2026-11-21T14:05:00+02:00", "2026-11-21T14:05:00+02:00"],
  ["  ", null],
])("a typed time %s is sent as %s", (typed, sent) => expect(utc(typed)).toBe(sent));

import { expect, test } from "vitest";

import type { Checked } from "../../api/types";
import { byWord } from "../CheckedList";
import { denominatorWords } from "../Denominator";
import { showAllWords } from "../VerdictCard";

const check = (kind: string, status: Checked["status"]): Checked => ({ kind, status, why: "" });

test("checks have four words; a check that broke was not done", () => {
  const groups = byWord([check("a", "failed"), check("b", "clear"), check("c", "found"), check("d", "harmless"), check("e", "not-checkable")]);
  expect(groups.map(({ word, checks }) => [word, ...checks.map(({ kind }) => kind)])).toEqual([
    ["found", "c"], ["seen, harmless", "d"], ["none", "b"], ["not checked", "a", "e"],
  ]);
});

test.each([
  [29, "Collisions hit 29 of 600 connections", "Show all 29"],
  [110, "54 of 60 connections were reset", "Show all"],
  [60, "1,600 of 4,160 packets", "Show all"],
  [1234, "1,234 lookups were slow", "Show all 1,234"],
  [1, "1 of 60 failed", "Show it"],
])("%i findings under the claim “%s”: %s", (found, statement, words) => {
  expect(showAllWords(found, statement)).toBe(words);
});

const input = (packets: number, warnings: string[], error: string | null = null) =>
  ({ packets, warnings, error }) as never;

test("a truncated file is in the claim's denominator", () => {
  expect(denominatorWords({ inputs: [input(1200, []), input(0, [])], inputs_total: 2 })).toBe("1,200 packets in 2 files");
  expect(denominatorWords({ inputs: [input(1200, ["truncated"]), input(0, [], "unreadable")], inputs_total: 2 })).toBe("1,200 packets in 2 files, 2 of them with warnings");
  expect(denominatorWords({ inputs: [input(1, ["truncated"])], inputs_total: 1 })).toBe("1 packet in 1 file, 1 of them with a warning");
});

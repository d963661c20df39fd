import { expect, test } from "vitest";

import { rulePartsOf } from "../ruleParts";

const RULE = "# Slow things\n\n## What it finds\nThings that are\nslow.\n\n## Thresholds\n| name | value | why |\n| --- | --- | --- |\n| a | 1 ms | x |\n| b | 2 ms | y |\n\n## Other\n| one | two |\n| --- | --- |\n| 1 | 2 |\n";

test("a rule has a name, a first paragraph and thresholds", () => {
  expect(rulePartsOf("slow-things", RULE)).toEqual({ title: "Slow things", finds: "Things that are slow.", thresholds: 2 });
});

test("a rule without any still has a name", () => {
  expect(rulePartsOf("slow-things", "")).toEqual({ title: "slow things", finds: "", thresholds: 0 });
});

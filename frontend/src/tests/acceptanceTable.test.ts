/** docs/acceptance.md names tests that exist, by file and title. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { expect, test } from "vitest";

const REPOSITORY = path.resolve(import.meta.dirname, "../../..");
const TEXT = readFileSync(path.join(REPOSITORY, "docs/acceptance.md"), "utf8");
const rows = TEXT.split("\n").filter((line) => line.startsWith("| "));

/** `[file, title]` of every title in a row; "…" stands for a part left out. */
function titlesOf(row: string): [string, string][] {
  return [...row.matchAll(/`([\w]+\.spec\.ts)`: ([^|`]+)/g)].flatMap((match) =>
    (match[2] ?? "").split("; ").map((title): [string, string] => [match[1] ?? "", title.replace(/\s*\([^)]*\)\s*$/, "").trim()]));
}

const named = rows.flatMap(titlesOf).filter(([, title]) => title !== "" && title !== "both tests" && title !== "the lens in");

test("every point has a row", () => {
  const points = rows.map((row) => Number(/^\| (\d+) \|/.exec(row)?.[1])).filter((point) => point > 0);
  expect(points).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
});

test.each(named)("%s: %s", (file, title) => {
  const spec = readFileSync(path.join(REPOSITORY, "frontend/e2e", file), "utf8");
  for (const part of title.split("…").map((each) => each.trim()).filter(Boolean)) expect(spec).toContain(part);
});

test("other files named in it exist", () => {
  const sources = readdirSync(path.join(REPOSITORY, "frontend/src"), { recursive: true, encoding: "utf8" });
  const files = [...TEXT.matchAll(/`([\w/]+\.(?:test\.tsx?|py|json))`/g)].map((match) => match[1] ?? "");
  expect(files.length).toBeGreaterThan(8);
  const missing = files.filter((file) => !sources.includes(file) && !existsSync(path.join(REPOSITORY, file)) && !existsSync(path.join(REPOSITORY, "frontend/e2e", file)));
  expect(missing).toEqual([]);
});

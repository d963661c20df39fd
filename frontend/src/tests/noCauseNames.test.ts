/** The page renders what the API gives it: no finding kind and no cause is named in its source. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { expect, test } from "vitest";

const SOURCE = path.resolve(import.meta.dirname, "..");
const FORENSICS = path.resolve(SOURCE, "../../backend/forensics");

function packages(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[a-z]\w+$/.test(entry.name) && entry.name !== "tests")
    .map((entry) => entry.name);
}

function shippedFiles(): string[] {
  return readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.(ts|tsx|css)$/.test(name) && !/(^|\/)tests\/|\.test\.|^api\/schema\.ts$/.test(name),
  );
}

const names = [...packages(path.join(FORENSICS, "detectors")), ...packages(path.join(FORENSICS, "diagnosis/causes"))]
  .filter((name) => name.includes("_"))
  .flatMap((name) => [name, name.replaceAll("_", "-")]);

test("there are names to look for", () => expect(names.length).toBeGreaterThan(2));

test.each(shippedFiles())("%s names none of them", (file) => {
  const text = readFileSync(path.join(SOURCE, file), "utf8");
  expect(names.filter((name) => text.includes(name))).toEqual([]);
});

/** The page renders what the API gives it: no finding kind and no cause is named in its source. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { expect, test } from "vitest";

const SOURCE = path.resolve(import.meta.dirname, "..");
const FORENSICS = path.resolve(SOURCE, "../../backend/forensics");

/** Folders and modules; `unknown` is what every language says. */
function modules(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => (entry.isDirectory() || entry.name.endsWith(".py")) && /^[a-z]/.test(entry.name))
    .map((entry) => entry.name.replace(/\.py$/, ""))
    .filter((name) => name !== "tests" && name !== "unknown");
}

function shippedFiles(): string[] {
  return readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.(ts|tsx|css)$/.test(name) && !/(^|\/)tests\/|\.test\.|^api\/schema\.d\.ts$/.test(name),
  );
}

const names = [...modules(path.join(FORENSICS, "detectors")), ...modules(path.join(FORENSICS, "diagnosis/causes"))]
  .flatMap((name) => [name, name.replaceAll("_", "-")]);

test("there are names to look for", () => expect(names.length).toBeGreaterThan(2));

test.each(shippedFiles())("%s names none of them", (file) => {
  const text = readFileSync(path.join(SOURCE, file), "utf8");
  expect(names.filter((name) => text.includes(name))).toEqual([]);
});

// @vitest-environment node
import { readFileSync } from "node:fs";
import path from "node:path";

import openapiTS, { astToString } from "openapi-typescript";
import { expect, test } from "vitest";

const FOLDER = path.resolve(import.meta.dirname, "..");

/** `npm run generate:api` writes it anew. */
test("the generated types are those of the API's description", async () => {
  const description = JSON.parse(readFileSync(path.join(FOLDER, "openapi.json"), "utf8")) as Parameters<typeof openapiTS>[0];
  const generated = astToString(await openapiTS(description));
  expect(readFileSync(path.join(FOLDER, "schema.d.ts"), "utf8")).toContain(generated.trim());
}, 30_000);

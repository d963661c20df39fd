/** What the specs ask of the started product. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { expect, test as base, type Page } from "@playwright/test";

import truthOfRace from "./fixtures/snat-race-truth.json" with { type: "json" };

export const truth = truthOfRace;
export const DEMOS = path.resolve(import.meta.dirname, "../../backend/demo");

/** Below the time of a test, on a machine with other work. */
const ANALYSIS_MOST_MS = 200_000;

export interface Made {
  id: string;
}

export function serverUrl(): string {
  const url = process.env.STALLSCOPE_E2E_URL;
  if (!url) throw new Error("the server was not started");
  return url;
}

export async function api<Answer>(address: string, options: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(`${serverUrl()}/api/v1${address}`, options);
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
  return (answer.status === 204 ? undefined : await answer.json()) as Answer;
}

export function post<Answer>(address: string, json: unknown): Promise<Answer> {
  return api<Answer>(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(json),
  });
}

export async function untilAnalysed(id: string): Promise<void> {
  await expect
    .poll(async () => (await api<{ analysis: string | null }>(`/investigations/${id}`)).analysis, { timeout: ANALYSIS_MOST_MS })
    .toBe("finished");
}

const demos = new Map<string, Promise<string>>();

async function loadDemo(name: string): Promise<string> {
  const { id } = await post<Made>("/demo", { name });
  await untilAnalysed(id);
  return id;
}

/** The id of a bundled demonstration that has been analysed; all specs share it, so none may change it. They run in several
 * processes: the first that makes its folder loads it, the others wait for the id. */
export async function analysedDemo(name: string): Promise<string> {
  const folder = path.join(process.env.STALLSCOPE_E2E_DEMOS ?? "", name);
  const file = path.join(folder, "id");
  try {
    mkdirSync(folder);
  } catch {
    await expect.poll(() => existsSync(file), { timeout: ANALYSIS_MOST_MS }).toBe(true);
    return readFileSync(file, "utf8");
  }
  try {
    const id = await loadDemo(name);
    writeFileSync(`${file}.new`, id);
    renameSync(`${file}.new`, file);
    return id;
  } catch (failure) {
    rmSync(folder, { recursive: true });
    throw failure;
  }
}

/** One that only the specs of a file share, which may make links to it or take its tables away. */
export function ownDemo(name: string): Promise<string> {
  const known = demos.get(name) ?? loadDemo(name);
  demos.set(name, known);
  return known;
}

/** Drops files on the page as the browser does when a person lets go of them. */
export async function drop(page: Page, files: { name: string; bytes: Buffer }[], release = true): Promise<void> {
  const transfer = await page.evaluateHandle(
    (given) => {
      const data = new DataTransfer();
      for (const file of given) {
        const bytes = Uint8Array.from(atob(file.base64), (letter) => letter.charCodeAt(0));
        // A fixed date: the browser must know the same file again after a reload.
        data.items.add(new File([bytes], file.name, { lastModified: 1_700_000_000_000 }));
      }
      return data;
    },
    files.map((file) => ({ name: file.name, base64: file.bytes.toString("base64") })),
  );
  // A person lets go when the page shows that it would take the files: before that nobody listens.
  await expect(async () => {
    await page.dispatchEvent("body", "dragenter", { dataTransfer: transfer });
    await expect(page.getByTestId("drop-overlay")).toBeVisible({ timeout: 500 });
  }).toPass();
  if (release) await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

export function demoFile(demo: string, name: string): Buffer {
  return readFileSync(path.join(DEMOS, demo, name));
}

/** A page on the started server that fails its spec on an error in the console. */
export const test = base.extend<{ quiet: undefined }>({
  quiet: [
    async ({ page }, done) => {
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("console", (message) => {
        // A refused request is part of some specs; a refused style or script is of none.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
          errors.push(message.text());
        }
      });
      await done(undefined);
      expect(errors).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

import { execFileSync } from "node:child_process";
import { openAsBlob, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import path from "node:path";

import type { Browser, Page } from "@playwright/test";

import { analysedDemo, api, expect, post, serverUrl, test, type Made } from "../e2e/product";
import { largePages, type LargePage } from "./largePages";
import { keyToPaint, memoryOf, watch } from "./measurePages";

const NAVIGATIONS = 7;
const INTERACTIONS = 24;
const REPOSITORY = path.resolve(import.meta.dirname, "../..");
/** Packets of the large capture: all kinds of traffic, so that every page has something to show. */
const PACKETS = Number(process.env.STALLSCOPE_BENCH_PACKETS ?? 10_000_000);
const LARGE = `large ${PACKETS}`;
const LARGEST_ANSWER_BYTES = 300_000;
const MOST_ROWS = 150;

const rows: string[] = [];
const pages: string[] = [];

function tell(what: string, target: string, values: number[], unit: string): void {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  rows.push(`| ${what} | ${target} | ${at(0.5).toFixed(0)} | ${at(0.95).toFixed(0)} | ${unit} |`);
}

test.afterAll(() => {
  console.log(`\nLoad ${loadavg()[0]?.toFixed(1)} on ${cpus().length} processors.`);
  console.log(`\n| what | target | median | p95 | unit |\n| --- | ---: | ---: | ---: | --- |\n${rows.join("\n")}`);
  console.log("\n| page | usable, ms | largest answer, kB | which | script MB | tab MB | rows in the document |");
  console.log(`| --- | ---: | ---: | --- | ---: | ---: | ---: |\n${pages.join("\n")}`);
});

async function timeToClaim(browser: Browser, id: string): Promise<number> {
  const context = await browser.newContext({ baseURL: serverUrl() });
  const page = await context.newPage();
  const begun = Date.now();
  await page.goto(`/i/${id}`, { waitUntil: "commit" });
  await page.getByTestId("claim").waitFor();
  const took = Date.now() - begun;
  await context.close();
  return took;
}

test("the claim of a finished investigation, and the script before it", async ({ browser, page }) => {
  const id = await analysedDemo("snat-race");
  const times = [];
  for (let n = 0; n < NAVIGATIONS; n++) times.push(await timeToClaim(browser, id));
  tell("claim visible after navigation (point 1)", "1,500", times, "ms");
  const watched = watch(page);
  await page.goto(`/i/${id}`);
  await page.waitForLoadState("networkidle");
  tell("script before a chart, gzip", "250", [(await watched.scripts()) / 1000], "kB");
});

test("from the empty home to the claim of a demonstration", async ({ page }) => {
  const begun = Date.now();
  await page.goto("/new");
  await page.getByTestId("demo-snat-race").click();
  await page.getByTestId("claim").waitFor({ timeout: 300_000 });
  tell("demonstration opened, analysed, claim visible (point 39)", "30", [(Date.now() - begun) / 1000], "s");
});

/** The whole of an investigation on the timeline; how many marks are drawn. */
async function openWhole(page: Page, id: string): Promise<number> {
  await page.goto(`/i/${id}/timeline`);
  await page.locator("[data-drawn]").first().waitFor();
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("0");
  await page.waitForLoadState("networkidle");
  return Number(await page.getByTestId("marks-shown").getAttribute("data-count"));
}

async function timeKeys(page: Page, what: string): Promise<void> {
  const painted = [];
  for (let n = 0; n < INTERACTIONS; n++) {
    painted.push(await keyToPaint(page, ["KeyW", "KeyD", "KeyA", "KeyS"][n % 4] ?? "KeyW"));
    // The address follows a quarter of a second later; that is no part of the next key.
    await page.waitForTimeout(400);
  }
  tell(`key to paint, ${what} (point 27: 200)`, "100", painted.map((each) => each.ms), "ms");
  tell(`of it script, ${what}`, "", painted.map((each) => each.script_ms), "ms");
}

test("zooming and panning with many marks", async ({ page }) => {
  const marks = await openWhole(page, await analysedDemo("ipvs-reuse"));
  await timeKeys(page, `${marks} marks on three lanes`);
});

async function largeInvestigation(): Promise<string> {
  const { items } = await api<{ items: { id: string; label: string }[] }>("/investigations");
  const known = items.find((each) => each.label === LARGE);
  if (known) return known.id;
  const file = path.join(tmpdir(), `stallscope-bench-${process.pid}.pcap`);
  const python = path.join(REPOSITORY, ".venv/bin/python");
  execFileSync(python, ["-m", "workers.decode.bench.generate", file, String(PACKETS), "mixed"], { cwd: REPOSITORY });
  try {
    const { id } = await post<Made>("/investigations", { label: LARGE });
    await api(`/investigations/${id}/files/large.pcap`, { method: "PUT", body: await openAsBlob(file) });
    return id;
  } finally {
    rmSync(file, { force: true });
  }
}

async function analysed(id: string): Promise<void> {
  await expect
    .poll(async () => (await api<{ analysis: string }>(`/investigations/${id}`)).analysis, { timeout: 900_000, intervals: [2000] })
    .toBe("finished");
}

async function measure(browser: Browser, id: string, { name, path: where, usable, goOn }: LargePage): Promise<void> {
  const context = await browser.newContext({ baseURL: serverUrl(), viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const watched = watch(page);
  const begun = Date.now();
  await page.goto(`/i/${id}${where}`, { waitUntil: "commit" });
  await page.locator(usable).first().waitFor({ timeout: 60_000 });
  const took = Date.now() - begun;
  await page.waitForLoadState("networkidle");
  await goOn?.(page);
  const { bytes, address } = await watched.largest();
  const memory = await memoryOf(browser, page);
  const inDocument = await page.locator("[role=row][aria-rowindex]").count();
  pages.push(`| ${name} | ${took} | ${(bytes / 1000).toFixed(0)} | \`${address.slice(0, 60)}\` | ${memory.script_mb.toFixed(0)} | ${memory.tab_mb.toFixed(0)} | ${inDocument} |`);
  expect.soft(bytes, `${name}: ${address}`).toBeLessThan(LARGEST_ANSWER_BYTES);
  expect.soft(inDocument, `${name}: rows in the document`).toBeLessThan(MOST_ROWS);
  await context.close();
}

test("every page of a large investigation", async ({ browser, page }) => {
  const id = await largeInvestigation();
  await analysed(id);
  const outline = await api<{ findings: { id: string }[] }>(`/investigations/${id}/report/outline`);
  for (const each of largePages(outline.findings[0]?.id ?? "")) await measure(browser, id, each);
  const times = [];
  for (let n = 0; n < NAVIGATIONS; n++) times.push(await timeToClaim(browser, id));
  tell(`claim visible, ${PACKETS.toLocaleString("en")} packets`, "1,500", times, "ms");
  const marks = await openWhole(page, id);
  await timeKeys(page, `${marks} marks of ${PACKETS.toLocaleString("en")} packets`);
});

test("the last of all packets by the End key and by the scrollbar", async ({ page }) => {
  const id = await largeInvestigation();
  await analysed(id);
  const { total } = await api<{ total: number }>(`/investigations/${id}/packets?offset=0&limit=1`);
  await page.goto(`/i/${id}/packets`);
  const last = page.locator(`[role=row][aria-rowindex="${total}"] .evidence-link`).first();
  const table = page.getByRole("region", { name: /^Packets, / });
  await table.focus();
  let begun = Date.now();
  await page.keyboard.press("End");
  await last.waitFor();
  tell("last packet by the End key", "", [Date.now() - begun], "ms");
  await page.keyboard.press("Home");
  await page.locator("[role=row][aria-rowindex='1'] .evidence-link").first().waitFor();
  const bar = await page.getByRole("scrollbar").boundingBox();
  if (!bar) throw new Error("the table has no scrollbar");
  await page.mouse.move(bar.x + bar.width - 6, bar.y + 8);
  await page.mouse.down();
  begun = Date.now();
  await page.mouse.move(bar.x + bar.width - 6, bar.y + bar.height + 20, { steps: 4 });
  await page.mouse.up();
  await last.waitFor();
  tell("last packet by the scrollbar", "", [Date.now() - begun], "ms");
});

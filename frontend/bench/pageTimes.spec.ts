import { execFileSync } from "node:child_process";
import { openAsBlob, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";

import type { Browser, Page } from "@playwright/test";

import { analysedDemo, api, expect, post, serverUrl, test, untilAnalysed, type Made } from "../e2e/product";

const NAVIGATIONS = 7;
const INTERACTIONS = 24;
const REPOSITORY = path.resolve(import.meta.dirname, "../..");
/** Packets of the large capture; 10 M take some minutes to generate and upload. */
const PACKETS = Number(process.env.STALLSCOPE_BENCH_PACKETS ?? 10_000_000);

const rows: string[] = [];

function tell(what: string, target: string, values: number[], unit: string): void {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  rows.push(`| ${what} | ${target} | ${at(0.5).toFixed(0)} | ${at(0.95).toFixed(0)} | ${unit} |`);
}

test.afterAll(() => {
  console.log(`\n| what | target | median | p95 | unit |\n| --- | ---: | ---: | ---: | --- |\n${rows.join("\n")}`);
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
  const scripts: Promise<number>[] = [];
  page.on("response", (answer) => {
    if (answer.url().endsWith(".js")) scripts.push(answer.body().then((body) => gzipSync(body).length));
  });
  await page.goto(`/i/${id}`);
  await page.waitForLoadState("networkidle");
  const bytes = (await Promise.all(scripts)).reduce((sum, each) => sum + each, 0);
  tell("script before a chart, gzip", "250", [bytes / 1000], "kB");
});

test("from the empty home to the claim of a demonstration", async ({ page }) => {
  const begun = Date.now();
  await page.goto("/new");
  await page.getByTestId("demo-snat-race").click();
  await page.getByTestId("claim").waitFor({ timeout: 300_000 });
  tell("demonstration opened, analysed, claim visible (point 39)", "30", [(Date.now() - begun) / 1000], "s");
});

/** From a key to the second frame after it: the chart was drawn in the first. */
async function keyToPaint(page: Page, code: string): Promise<number> {
  return page.evaluate(async (pressed) => {
    const chart = document.querySelector<HTMLElement>("[data-drawn]");
    const begun = performance.now();
    (document.activeElement ?? chart)?.dispatchEvent(new KeyboardEvent("keydown", { code: pressed, key: pressed, bubbles: true }));
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    return performance.now() - begun;
  }, code);
}

test("zooming and panning with many marks", async ({ page }) => {
  const id = await analysedDemo("ipvs-reuse");
  await page.goto(`/i/${id}/timeline`);
  await page.locator("[data-drawn]").waitFor();
  await page.waitForLoadState("networkidle");
  await page.locator("[data-drawn]").first().focus();
  const marks = (await api<{ marks: unknown[] }>(`/investigations/${id}/timeline?px=1200`)).marks.length;
  const times = [];
  for (let n = 0; n < INTERACTIONS; n++) times.push(await keyToPaint(page, ["KeyW", "KeyD", "KeyA", "KeyS"][n % 4] ?? "KeyW"));
  tell(`key to paint at ${marks} marks (point 27: 200)`, "100", times, "ms");
});

async function largeInvestigation(): Promise<string> {
  const file = path.join(tmpdir(), `stallscope-bench-${process.pid}.pcap`);
  const python = path.join(REPOSITORY, ".venv/bin/python");
  const script = "import sys; from pathlib import Path; from workers.decode.bench.generate import generate; generate(Path(sys.argv[1]), int(sys.argv[2]), 'short')";
  execFileSync(python, ["-c", script, file, String(PACKETS)], { cwd: REPOSITORY });
  try {
    const { id } = await post<Made>("/investigations", { label: "large" });
    await api(`/investigations/${id}/files/large.pcap`, { method: "PUT", body: await openAsBlob(file) });
    await expect
      .poll(async () => (await api<{ analysis: string }>(`/investigations/${id}`)).analysis, { timeout: 900_000, intervals: [2000] })
      .toBe("finished");
    return id;
  } finally {
    rmSync(file, { force: true });
  }
}

test("a large investigation: sizes of answers and memory of the tab", async ({ page }) => {
  const id = await largeInvestigation();
  await untilAnalysed(id);
  let largest = 0;
  page.on("response", (answer) => {
    if (answer.url().includes("/api/")) void answer.body().then((body) => (largest = Math.max(largest, body.length)), () => 0);
  });
  for (const tab of ["", "/timeline", "/findings", "/connections", "/rtt", "/requests", "/packets", "/files", "/report"]) {
    const begun = Date.now();
    await page.goto(`/i/${id}${tab}`);
    await page.waitForLoadState("networkidle");
    tell(`${PACKETS.toLocaleString("en")} packets: page ${tab || "/"} quiet`, "", [Date.now() - begun], "ms");
  }
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  tell("memory of the tab's script", "300", [(metrics.find((each) => each.name === "JSHeapTotalSize")?.value ?? NaN) / 1e6], "MB");
  tell("largest answer", "300", [largest / 1000], "kB");
});

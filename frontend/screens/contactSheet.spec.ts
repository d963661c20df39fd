/** A contact sheet for each demonstration: every page of an investigation, light and dark, at 1440 and 390 px. */
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";

import type { Browser, Page } from "@playwright/test";

import { analysedDemo, expect, test } from "../e2e/product";

const PICTURE_FOLDER = path.resolve(import.meta.dirname, "../../docs/images");
const FOLDER = path.join(PICTURE_FOLDER, "screens");
const DEMOS = ["snat-race", "ipvs-reuse", "rx-backlog", "imds-burst", "snat-race-healthy"];
const PAGES = ["", "timeline", "findings", "connections", "rtt", "requests", "state", "packets", "files", "report"];
const SCHEMES = ["light", "dark"] as const;
const WIDTHS = { 1440: 900, 390: 844 };
/** All sheets together stay below 3 MB. */
const SHEET_BYTES_MOST = 600_000;

interface Shot {
  words: string;
  width: number;
  jpeg: Buffer;
}

async function shotsOf(browser: Browser, id: string): Promise<Shot[]> {
  const shots: Shot[] = [];
  for (const colorScheme of SCHEMES) {
    for (const [width, height] of Object.entries(WIDTHS).map(([w, h]) => [Number(w), h] as const)) {
      const context = await browser.newContext({ baseURL: process.env.STALLSCOPE_E2E_URL, colorScheme, viewport: { width, height } });
      const page = await context.newPage();
      for (const name of PAGES) {
        await page.goto(`/i/${id}${name && `/${name}`}`);
        await page.locator("main h1").first().waitFor();
        await page.waitForLoadState("networkidle");
        shots.push({ words: `${name || "overview"} · ${colorScheme} · ${String(width)}`, width, jpeg: await page.screenshot({ type: "jpeg", quality: 60 }) });
      }
      await context.close();
    }
  }
  return shots;
}

/** Thumbnails in a grid, each with its words. */
async function sheetOf(page: Page, title: string, shots: readonly Shot[], file: string): Promise<void> {
  const cells = shots.map(({ words, width, jpeg }) =>
    `<figure style="width:${width > 500 ? 330 : 122}px"><img src="data:image/jpeg;base64,${jpeg.toString("base64")}"><figcaption>${words}</figcaption></figure>`);
  await page.setViewportSize({ width: 1720, height: 900 });
  await page.setContent(`<style>
    body { margin: 12px; font: 11px sans-serif; background: #888; color: #fff; } main { display: flex; flex-wrap: wrap; gap: 8px; }
    figure { margin: 0; } img { width: 100%; display: block; }</style><h1>${title}</h1><main>${cells.join("")}</main>`);
  await page.screenshot({ path: file, type: "jpeg", quality: 55, fullPage: true });
}

for (const demo of DEMOS) {
  test(`contact sheet of ${demo}`, async ({ browser, page }) => {
    mkdirSync(FOLDER, { recursive: true });
    const file = path.join(FOLDER, `${demo}.jpg`);
    await sheetOf(page, demo, await shotsOf(browser, await analysedDemo(demo)), file);
    expect(readFileSync(file).length).toBeLessThanOrEqual(SHEET_BYTES_MOST);
  });
}

/** What the README shows first: the picture that people put into their post-mortems. */
const PICTURES = [
  { name: "timeline", demo: "snat-race", at: "/timeline" },
  { name: "overview", demo: "snat-race", at: "" },
  { name: "requests", demo: "imds-burst", at: "/requests" },
];

for (const { name, demo, at } of PICTURES) {
  test(`picture of the ${name}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(`/i/${await analysedDemo(demo)}${at}`);
    await page.locator("main h1").first().waitFor();
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: path.join(PICTURE_FOLDER, `${name}.png`) });
  });
}

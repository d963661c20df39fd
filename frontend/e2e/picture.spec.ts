/** Timeline, ladder, RTT and latency breakdown as files. */
import { readFileSync } from "node:fs";

import type { Page } from "@playwright/test";

import { analysedDemo, api, expect, test } from "./product";
import { open } from "./timelinePage";

const MOST_BYTES = 80_000;
const DEMOS = ["snat-race", "ipvs-reuse", "rx-backlog", "imds-burst", "snat-race-healthy"];

async function saved(page: Page, name: string): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).first().click()]);
  return readFileSync(await download.path());
}

/** The SVG of the page, after both forms have been looked at. */
async function picture(page: Page): Promise<string> {
  const svg = (await saved(page, "Save SVG")).toString("utf8");
  expect(svg.length).toBeLessThanOrEqual(MOST_BYTES);
  expect(await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror, script, image, foreignObject") === null, svg)).toBe(true);
  const png = await saved(page, "Save PNG");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect(png.readUInt32BE(16)).toBe(2 * Number(/width="(\d+)"/.exec(svg)?.[1]));
  return svg;
}

test("the timeline is saved as SVG below 80 kB and as PNG of twice the size", async ({ page }) => {
  await open(page);
  expect(await picture(page)).toContain("SYN retransmissions to");
});

const longColors = (svg: string): string => svg.replace(/"#(\w)(\w)(\w)"/g, '"#$1$1$2$2$3$3"');

test("over the API the timeline and the RTT chart are what the page saves", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  for (const name of ["timeline", "rtt"]) {
    await page.goto(`/i/${id}/${name}`);
    await page.getByRole("button", { name: "Save SVG" }).waitFor();
    await page.waitForLoadState("networkidle");
    const own = (await saved(page, "Save SVG")).toString("utf8");
    const width = /width="(\d+)"/.exec(own)?.[1] ?? "";
    const drawn = await page.request.get(`/api/v1/investigations/${id}/${name}.svg`, { params: { width, theme: "light" } });
    // The page's style sheet is minified, and each answer would fill the log.
    expect(longColors(await drawn.text()) === longColors(own), name).toBe(true);
  }
});

test("the ladder is saved with its vantage points and the packet that was not seen", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const { items } = await api<{ items: { cid: number }[] }>(`/investigations/${id}/connections?finding=syn-retransmission-1&limit=1`);
  await page.goto(`/i/${id}/connections/${items[0]?.cid}`);
  const svg = await picture(page);
  for (const words of ["cni0", "eth0", "then not seen", "SYN retransmission", "Stallscope"]) expect(svg).toContain(words);
});

test("the latency breakdown is saved with its parts", async ({ page }) => {
  const id = await analysedDemo("imds-burst");
  const { items } = await api<{ items: { rid: number }[] }>(`/investigations/${id}/requests?sort=duration_ms&order=desc&limit=1`);
  await page.goto(`/i/${id}/requests?as=list&rid=${items[0]?.rid}`);
  expect(await picture(page)).toContain("Latency breakdown");
});

for (const demo of DEMOS) {
  test(`timeline and RTT of ${demo} are pictures below 80 kB, in both themes`, async ({ page }) => {
    const id = await analysedDemo(demo);
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const [name, words] of [["timeline", "window"], ["rtt", "Round-trip times"]] as const) {
        await page.goto(`/i/${id}/${name}`);
        await page.getByRole("button", { name: "Save SVG" }).waitFor();
        await page.waitForLoadState("networkidle");
        expect(await picture(page), `${name} ${scheme}`).toContain(words);
      }
    }
  });
}

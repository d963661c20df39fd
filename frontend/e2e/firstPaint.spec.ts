/** What a first visit loads, and what is on the screen before the page itself is here. */
import type { Page } from "@playwright/test";

import { analysedDemo, expect, test } from "./product";

const OVERVIEW_BYTES = 350_000;
const TIMELINE_BYTES = 550_000;

/** Bytes of all answers on the wire, headers included, until `shown` is there and nothing more is asked for. */
async function coldBytes(page: Page, address: string, shown: string): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  let sum = 0;
  session.on("Network.loadingFinished", (event) => (sum += event.encodedDataLength));
  await page.goto(address);
  await page.locator(shown).first().waitFor();
  await page.waitForLoadState("networkidle");
  return sum;
}

test("a first visit loads little", async ({ page, browser }) => {
  const id = await analysedDemo("snat-race");
  const overview = await coldBytes(page, `/i/${id}`, "[data-testid=claim]");
  expect(overview).toBeGreaterThan(50_000);
  expect(overview).toBeLessThanOrEqual(OVERVIEW_BYTES);
  const fresh = await browser.newContext({ baseURL: new URL(page.url()).origin });
  expect(await coldBytes(await fresh.newPage(), `/i/${id}/timeline`, "[data-drawn]")).toBeLessThanOrEqual(TIMELINE_BYTES);
  await fresh.close();
});

for (const scheme of ["light", "dark"] as const) {
  test(`the shell is painted before script and styles are here, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    const held: (() => void)[] = [];
    await page.route("**/assets/*", async (route) => {
      await new Promise<void>((go) => held.push(go));
      await route.continue();
    });
    await page.goto("/", { waitUntil: "commit" });
    const bar = page.locator("[data-shell] .shell-bar");
    await expect(bar).toBeVisible();
    await expect.poll(() => page.evaluate(() => performance.getEntriesByName("first-paint").length)).toBe(1);
    const surface = await bar.evaluate((element) => getComputedStyle(element).backgroundColor);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    held.forEach((go) => go());
    await page.locator(".top-bar").waitFor();
    await expect(page.locator("[data-shell]")).toHaveCount(0);
    expect(await page.locator(".top-bar").evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(surface);
  });
}

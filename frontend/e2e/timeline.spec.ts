/** The annotated timeline on the bundled demonstration; numbers come from the capture's truth file. */
import type { Page } from "@playwright/test";

import { api, expect, test, truth } from "./product";
import {
  differing, drawnWindow, lanesBox, lossMarks, open, stillPicture, tokenPixels, windowInAddress, type Window,
} from "./timelinePage";

test("the chart is named and follows a visible heading", async ({ page }) => {
  await open(page);
  const chart = page.getByTestId("timeline");
  await expect(chart).toHaveAttribute("aria-label", /^Timeline from \d\d:\d\d:\d\d\.\d+ for .+, \d+ lanes?, 2 findings$/);
  const heading = page.getByRole("heading", { level: 1 }).last();
  await expect(heading).toBeVisible();
  const before = await heading.evaluate((element) => {
    const other = document.querySelector("[data-testid=timeline]");
    return other ? Boolean(element.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) : false;
  });
  expect(before).toBe(true);
});

test("every delayed connection has its cross at full zoom-out", async ({ page }) => {
  const id = await open(page);
  const instances = new Set((await lossMarks(id)).map((mark) => mark.instance));
  expect(instances.size).toBe(truth.delayed);
});

test("T swaps the chart for a table with the same marks and keeps the focus", async ({ page }) => {
  await open(page);
  const chart = page.getByTestId("timeline");
  await chart.focus();
  await page.keyboard.press("t");
  const twin = chart.getByTestId("marks-table");
  await expect(twin.locator("[data-mark]").first()).toBeVisible();
  await expect(twin).toHaveAttribute("aria-rowcount", (await page.getByTestId("marks-shown").getAttribute("data-count")) ?? "");
  expect(await twin.locator("[data-mark]").count()).toBeLessThan(150);
  await expect(chart).toBeFocused();
  await page.keyboard.press("t");
  await expect(page.locator("[data-drawn]")).toBeVisible();
  await expect(chart).toBeFocused();
});

test("the plain wheel scrolls the page, Ctrl + wheel zooms and does not", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 500 });
  await open(page);
  const box = await lanesBox(page);
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.mouse.move(box.x + box.width / 2, 330);
  const before = await page.evaluate(() => window.scrollY);
  await page.mouse.wheel(0, 120);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(before);
  const drawn = await drawnWindow(page);
  const scrolled = await page.evaluate(() => window.scrollY);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await expect.poll(async () => (await drawnWindow(page)).durationNs).toBeLessThan(drawn.durationNs);
  const zoomed = await drawnWindow(page);
  await expect.poll(async () => windowInAddress(page)).toEqual(zoomed);
  expect(await page.evaluate(() => window.scrollY)).toBe(scrolled);
});

async function dragLanes(page: Page, from: number, to: number): Promise<{ range: Window; pixelNs: number }> {
  const box = await lanesBox(page);
  const w = await drawnWindow(page);
  const y = box.y + 30;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y);
  await page.mouse.move(box.x + box.width * to, y);
  await page.mouse.up();
  const pixelNs = w.durationNs / box.width;
  return { range: { fromNs: w.fromNs + w.durationNs * from, durationNs: w.durationNs * (to - from) }, pixelNs };
}

test("a drag over the lanes opens four buttons, and Zoom shows what was dragged", async ({ page }) => {
  await open(page);
  const { range, pixelNs } = await dragLanes(page, 0.3, 0.5);
  const bar = page.getByTestId("selection-bar");
  await expect(bar.getByRole("button")).toHaveText(["Zoom", "Filter tables", "Add note", "Share range"]);
  await bar.getByRole("button", { name: "Zoom" }).click();
  await expect.poll(async () => (await drawnWindow(page)).durationNs).toBeLessThan(range.durationNs * 1.1);
  const zoomed = await drawnWindow(page);
  await expect.poll(async () => windowInAddress(page)).toEqual(zoomed);
  expect(Math.abs(zoomed.fromNs - range.fromNs)).toBeLessThanOrEqual(pixelNs * 1.5);
  expect(Math.abs(zoomed.durationNs - range.durationNs)).toBeLessThanOrEqual(pixelNs * 2);
});

test("Filter tables narrows the tables and leaves the window", async ({ page }) => {
  await open(page);
  const rows = async () => Number(await page.getByTestId("marks-table").getAttribute("aria-rowcount"));
  const all = await rows();
  const w = await drawnWindow(page);
  await dragLanes(page, 0.3, 0.5);
  await page.getByTestId("selection-bar").getByRole("button", { name: "Filter tables" }).click();
  await expect.poll(rows).toBeLessThan(all);
  expect(await drawnWindow(page)).toEqual(w);
  await page.locator("[data-chip=range] button").click();
  await expect.poll(rows).toBe(all);
});

test("the ruler at 20 µs shows three labels or more and none twice", async ({ page }) => {
  const id = await open(page);
  const [loss] = await lossMarks(id);
  await open(page, `?w=${(loss?.t ?? 0) - 10_000}~20000`);
  const labels = await page.locator("[data-tick]").evaluateAll((ticks) => ticks.map((tick) => tick.getAttribute("data-tick")));
  expect(labels.length).toBeGreaterThanOrEqual(3);
  expect(new Set(labels).size).toBe(labels.length);
});

test("a reload and a fresh profile show the same window, lanes, selection, filter and folds", async ({ page, browser }) => {
  const id = await open(page);
  const [loss] = await lossMarks(id);
  const lanes = await page.locator(".timeline-header[data-lane]").evaluateAll((headers) => headers.map((one) => one.getAttribute("data-lane")));
  const chosen = lanes.slice(1).join("~");
  const search = `?w=${(loss?.t ?? 0) - 50_000_000}~1200000000&sel=${loss?.finding}~${loss?.instance}&lanes=${encodeURIComponent(chosen)}&q=SYN&z=1&unknown=1`;
  await open(page, search);
  const folds = page.getByTestId("fold");
  await expect(folds.first()).toBeVisible();
  const folded = await folds.count();
  const picture = await stillPicture(page);
  await page.reload();
  await page.locator("[data-drawn]").waitFor();
  expect(await differing(page, picture, await stillPicture(page))).toBeLessThan(0.005);
  const fresh = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: new URL(page.url()).origin });
  const other = await fresh.newPage();
  await other.goto(page.url());
  await other.locator("[data-drawn]").waitFor();
  expect(await differing(page, picture, await stillPicture(other))).toBeLessThan(0.005);
  await expect(other.locator(".timeline-header[data-lane]")).toHaveCount(lanes.length - 1);
  await expect(other.getByTestId("fold")).toHaveCount(folded);
  await expect(other.getByRole("searchbox", { name: "Filter marks and rows" })).toHaveValue("SYN");
  await fresh.close();
});

test("Back walks selections, not every step of the wheel", async ({ page }) => {
  await open(page);
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("]");
  await expect.poll(() => new URL(page.url()).searchParams.get("sel")).toMatch(/~1$/);
  for (let step = 0; step < 4; step += 1) await page.keyboard.press("s");
  const wide = await drawnWindow(page);
  await expect.poll(async () => windowInAddress(page)).toEqual(wide);
  await page.keyboard.press("]");
  await expect.poll(() => new URL(page.url()).searchParams.get("sel")).toMatch(/~2$/);
  await page.goBack();
  await expect.poll(() => new URL(page.url()).searchParams.get("sel")).toMatch(/~1$/);
  await expect.poll(async () => drawnWindow(page)).toEqual(wide);
  await page.goBack();
  await expect.poll(() => new URL(page.url()).searchParams.get("sel")).toBeNull();
  await expect(page).toHaveURL(/\/timeline/);
});

test("addresses stay below 1,800 characters", async ({ page }) => {
  const id = await open(page);
  const [loss] = await lossMarks(id);
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("]");
  await page.getByTestId("marks-table").locator(`[data-mark="${loss?.id}"]`).getByRole("cell").first().click();
  await page.keyboard.press("Escape");
  await page.getByText("lanes", { exact: true }).click();
  await page.getByRole("checkbox").first().click();
  await page.getByRole("searchbox", { name: "Filter marks and rows" }).fill("10.244.35");
  await page.keyboard.press("Enter");
  await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("10.244.35");
  expect(page.url().length).toBeLessThanOrEqual(1800);
});

test("a theme switch keeps the window and recolours the canvas", async ({ page }) => {
  const id = await open(page);
  const [loss] = await lossMarks(id);
  const from = (loss?.t ?? 0) - 40_000_000;
  await open(page, `?w=${from}~200000000`);
  await page.waitForLoadState("networkidle");
  const before = await drawnWindow(page);
  for (const scheme of ["light", "dark"]) {
    await page.evaluate((name) => document.documentElement.setAttribute("data-mantine-color-scheme", name), scheme);
    await expect.poll(() => tokenPixels(page, "--role-loss")).toBeGreaterThan(20);
    expect(await drawnWindow(page)).toEqual(before);
  }
});

test("a lane nobody captured is hatched and says so", async ({ page }) => {
  const id = await open(page);
  const { lanes } = await api<{ lanes: { id: string; captured: boolean; role: string }[] }>(`/investigations/${id}/timeline?px=1200`);
  const blind = lanes.filter((lane) => !lane.captured && lane.role !== "nat" && lane.role !== "kernel");
  expect(blind.length).toBeGreaterThan(0);
  // One line stands for all of them, until they are asked for.
  await expect(page.getByTestId("more-lanes")).toHaveText(new RegExp(`^\\+\\d+ lanes?, 0 findings, ${blind.length} not captured$`));
  await expect(page.locator(".timeline-hatch[data-lane]").filter({ hasText: "nothing was captured here" })).toHaveCount(0);
  await page.getByTestId("more-lanes").click();
  for (const lane of blind) {
    await expect(page.locator(`.timeline-header[data-lane="${lane.id}"]`)).toContainText("not captured");
    const hatch = page.locator(`.timeline-hatch[data-lane="${lane.id}"]`);
    await expect(hatch).toContainText("nothing was captured here");
    expect(await hatch.evaluate((element) => getComputedStyle(element).backgroundImage)).toContain("repeating-linear-gradient");
  }
});

test("the keys walk marks and say lane, time and finding", async ({ page }) => {
  await open(page);
  await page.getByTestId("timeline").focus();
  await page.keyboard.press(".");
  await expect(page.getByTestId("live")).toHaveText(/, \+\d+\.\d{9} s.*, finding [A-Z], instance \d+ of \d+$/);
  const first = await page.getByTestId("live").innerText();
  await page.keyboard.press(".");
  await expect(page.getByTestId("live")).not.toHaveText(first);
});

test("panning by half a screen asks for nothing, by two screens once", async ({ page }) => {
  const id = await open(page);
  const [loss] = await lossMarks(id);
  await open(page, `?w=${(loss?.t ?? 0) + 3_000_000_000}~100000000`);
  await page.waitForLoadState("networkidle");
  let asked = 0;
  page.on("request", (request) => (asked += request.url().includes("/timeline?") ? 1 : 0));
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("Shift+D");
  await page.waitForTimeout(600);
  expect(asked).toBe(0);
  for (let step = 0; step < 4; step += 1) await page.keyboard.press("Shift+D");
  await page.waitForTimeout(600);
  expect(asked).toBe(1);
});

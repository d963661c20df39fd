/** Kernel state: what counters rose by, every dump as a table with its lines, against the API and the truth file. */
import { analysedDemo, api, drop, expect, post, test, truth, untilAnalysed, type Made } from "./product";

interface Dumps {
  items: { input: string; number: number; kind: string; tables: { name: string; rows_total: number }[] }[];
}

test("the rise of a counter is shown for each CPU and in all, and leads to its lines", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}/state`);
  const row = page.getByTestId("delta").locator('tr[data-counter="insert_failed"]');
  await expect(row).toHaveAttribute("data-rise", String(truth.insert_failed_delta));
  const perCpu = (await row.locator("td.number").allTextContents()).slice(3).map((text) => Number(text.replace(/\D/g, "")));
  expect(perCpu.reduce((sum, each) => sum + each, 0)).toBe(truth.insert_failed_delta);
  await row.locator("a[data-evidence]").last().click();
  await expect(page.getByTestId("dump-text").locator('[aria-current="true"]').first()).toContainText("insert_failed=");
});

test("every dump is a table with the line of its text beside, and its last row is reached", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const { items } = await api<Dumps>(`/investigations/${id}/dumps`);
  const longest = items.reduce((a, b) => ((b.tables[0]?.rows_total ?? 0) > (a.tables[0]?.rows_total ?? 0) ? b : a));
  const total = longest.tables[0]?.rows_total ?? 0;
  await page.goto(`/i/${id}/state`);
  await expect(page.getByTestId("dump-text-link")).toHaveCount(new Set(items.map((dump) => dump.input)).size);
  await page.getByTestId("dump-text-link").filter({ hasText: longest.input }).click();
  await expect(page.getByTestId("dump-rows")).toHaveAttribute("data-total", String(total));
  const scroller = page.getByTestId("dump-view").getByRole("region", { name: /scrollable/ });
  await scroller.focus();
  await page.keyboard.press("End");
  const last = scroller.locator(`[aria-rowindex="${total}"]`);
  await expect(last).toBeVisible();
  await expect(last.locator("code")).toContainText("src=");
  expect(await scroller.getByRole("row").count()).toBeLessThan(150);
});

test("rows are narrowed to a port, and a filter that cannot be read says so", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}/state?dump=conntrack-E.txt~0&rows=41363`);
  await expect(page.getByTestId("dump-rows")).toContainText(" of ");
  const narrowed = Number(await page.getByTestId("dump-rows").getAttribute("data-total"));
  expect(narrowed).toBeGreaterThan(0);
  await page.getByLabel("Filter rows").fill("pod-7");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("not an address");
  await expect(page.getByTestId("dump-rows")).toHaveAttribute("data-total", String(narrowed));
});

const SERIES = [1, 2, 3].map((n) => `=== 2026-11-21T00:32:0${n}.000Z\ncpu=0 found=${n * n} insert_failed=${n} drop=0\n`).join("");

test("a series of dumps is drawn over time, and a line nobody understands is named", async ({ page }) => {
  const { id } = await post<Made>("/investigations", { label: "series" });
  await page.goto(`/i/${id}/files`);
  await drop(page, [{ name: "series.txt", bytes: Buffer.from(`${SERIES}this is no counter\n`) }]);
  await expect(page.getByTestId("file")).toHaveCount(1);
  await untilAnalysed(id);
  await page.goto(`/i/${id}/state`);
  await expect(page.getByTestId("series-group")).toHaveCount(1);
  await expect(page.getByRole("img", { name: "insert_failed: rose by 2 in 3 dumps" })).toBeVisible();
  await page.getByRole("link", { name: "later" }).click();
  await page.getByRole("link", { name: "later" }).click();
  await expect(page.getByTestId("not-understood")).toContainText("1 line not understood");
});

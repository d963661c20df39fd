/** Units, columns and bars: what stands in a column is aligned, what is drawn has a scale that it can be read on. */
import { analysedDemo, expect, test } from "./product";

test("the list aligns its verdicts and draws the time lost", async ({ page }) => {
  await analysedDemo("snat-race");
  await analysedDemo("imds-burst");
  await page.goto("/");
  await expect(page.getByTestId("time-lost-bar").nth(1)).toBeAttached();
  const chips = await page.locator(".verdict-cell .verdict-word").evaluateAll((all) => all.map((each) => each.getBoundingClientRect()));
  const titles = await page.locator(".verdict-cell > span:last-child").evaluateAll((all) => all.map((each) => each.getBoundingClientRect().left));
  expect(chips.length).toBeGreaterThan(1);
  expect(new Set(chips.map((chip) => Math.round(chip.left))).size).toBe(1);
  expect(new Set(titles.map(Math.round)).size).toBe(1);
  chips.forEach((chip, at) => expect(chip.right).toBeLessThanOrEqual(titles[at] ?? 0));
});

test("no header of the connections is clipped at 1440, and retry gaps are drawn", async ({ page }) => {
  await page.goto(`/i/${await analysedDemo("snat-race")}/connections`);
  await expect(page.getByTestId("gap-bars").first()).toBeVisible();
  const clipped = await page.getByTestId("connections-table").getByRole("columnheader").evaluateAll((heads) =>
    heads.filter((head) => head.scrollWidth > head.clientWidth + 1).map((head) => head.textContent));
  expect(clipped).toEqual([]);
});

test("each pair of hosts has an RTT axis of its own, in microseconds below a millisecond", async ({ page }) => {
  await page.goto(`/i/${await analysedDemo("snat-race")}/rtt`);
  const panels = page.getByTestId("rtt-panel");
  await expect(panels.nth(1)).toBeVisible();
  const longest = await panels.evaluateAll((all) => all.map((each) => /longest ([\d.]+) ms/.exec(each.textContent)?.[1] ?? ""));
  const units = await page.locator(".rtt-unit").allInnerTexts();
  expect(units).toContain("µs");
  longest.forEach((most, at) => { if (Number(most) > 1) expect(units[at]).toBe("ms"); });
});

test("the latency breakdown has an axis in ms that ends with the request", async ({ page }) => {
  await page.goto(`/i/${await analysedDemo("imds-burst")}/requests`);
  const waterfall = page.getByTestId("waterfall");
  const axis = waterfall.getByTestId("waterfall-axis").locator("small");
  await expect(axis).toHaveCount(5);
  const marks = await axis.allInnerTexts();
  expect(Number(marks[4])).toBeCloseTo(Number(await waterfall.getAttribute("data-total")), 0);
  await expect(page.getByTestId("percentiles").first()).toHaveAttribute("aria-label", /p50 .* p90 .* p95 .* p99 .* max .* ms/);
});

test("columns that are empty are folded, the state is not", async ({ page }) => {
  await page.goto(`/i/${await analysedDemo("snat-race")}/state`);
  const more = page.getByRole("button", { name: /Show \d+ columns? empty/ });
  const texts = page.locator(".kernel-list a", { hasText: "conntrack" });
  await expect(texts.first()).toBeVisible();
  for (let at = 0; at < (await texts.count()) && !(await more.isVisible()); at += 1) {
    await texts.nth(at).click();
    await page.waitForLoadState("networkidle");
  }
  const heads = page.getByRole("columnheader");
  const before = await heads.count();
  await more.click();
  await expect.poll(() => heads.count()).toBeGreaterThan(before);
});

test("the tab's icon is the glyph of the verdict", async ({ page }) => {
  await page.goto(`/i/${await analysedDemo("snat-race")}`);
  const icon = page.locator('link[rel="icon"]');
  await expect(icon).toHaveAttribute("href", "/icon-loss.svg");
  expect((await page.request.get("/icon-loss.svg")).headers()["content-type"]).toContain("svg");
  await page.goto("/");
  await expect(icon).toHaveAttribute("href", "/icon.svg");
});

test("code in a remedy is shown as code, without backticks", async ({ page }) => {
  await page.goto(`/i/${await analysedDemo("snat-race")}`);
  await expect(page.getByTestId("do-now-what").first().locator("code")).toHaveText("--random-fully");
  await expect(page.locator(".remedy-what").first()).not.toContainText("`");
});

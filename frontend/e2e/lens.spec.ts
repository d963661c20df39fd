/** Times too close for a window, times too far apart for one, and lanes put together in other ways. */
import { LANE_HEIGHT } from "../src/timeline/laneLayout";
import { api, expect, test } from "./product";
import { drawnWindow, lanesBox, lossMarks, open, type Mark } from "./timelinePage";

/** The two SYNs that collided closest, and how far apart they were. */
async function closest(id: string): Promise<{ pair: Mark; apart_ns: number }> {
  const { marks } = await api<{ marks: Mark[] }>(`/investigations/${id}/timeline?px=1200`);
  const seenLater = (pair: Mark) => marks.some((mark) => mark.glyph === "instant" && mark.t === pair.t_end && mark.finding === pair.finding);
  const pairs = marks.filter((mark) => mark.glyph === "pair" && mark.t_end !== null && mark.t_end > mark.t + 1_000 && seenLater(mark));
  const [pair] = pairs.sort((a, b) => (a.t_end ?? 0) - a.t - ((b.t_end ?? 0) - b.t));
  if (!pair) throw new Error("no collision");
  return { pair, apart_ns: (pair.t_end ?? 0) - pair.t };
}

test("the lens shows two SYNs apart and leaves the window; a reload keeps it, and the lane can be pinned", async ({ page }) => {
  const id = await open(page);
  const { pair, apart_ns } = await closest(id);
  await open(page, `?w=${pair.t - 200_000_000}~1400000000&sel=${pair.finding}~${pair.instance}`);
  const before = await drawnWindow(page);
  await expect(page.getByTestId("lens-handle").first()).toBeVisible();
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("l");
  const seen = page.locator("[data-lens-mark]");
  await expect.poll(() => seen.count()).toBeGreaterThanOrEqual(2);
  const times = await seen.evaluateAll((marks) => marks.map((mark) => Number(mark.getAttribute("data-t"))));
  expect(times).toContain(pair.t);
  expect(times).toContain(pair.t + apart_ns);
  const labels = await page.locator("[data-lens-tick]").evaluateAll((ticks) => ticks.map((tick) => tick.getAttribute("data-lens-tick")));
  expect(new Set(labels).size).toBe(labels.length);
  expect(await drawnWindow(page)).toEqual(before);
  await page.reload();
  await expect(page.getByTestId("lens")).toBeVisible();
  await page.locator("[data-drawn]").waitFor();
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("l");
  await expect(page.getByTestId("lens")).toHaveCount(0);
  await expect(page).not.toHaveURL(/lens=/);

  const lanes = page.locator(".timeline-header[data-lane]");
  const first = await lanes.first().getAttribute("data-lane");
  await page.keyboard.press(".");
  await page.keyboard.press("p");
  await expect(page).toHaveURL(/pin=/);
  await expect(lanes.first()).not.toHaveAttribute("data-lane", String(first));
});

test("in a window of 10 µs the two SYNs are two marks, and the tooltip tells how far apart", async ({ page }) => {
  const id = await open(page);
  const { pair, apart_ns } = await closest(id);
  const from = pair.t - 3_000;
  const { marks } = await api<{ marks: Mark[] }>(`/investigations/${id}/timeline?from=${from}&to=${from + 10_000}&px=1200`);
  const later = marks.find((mark) => mark.glyph === "instant" && mark.t === pair.t + apart_ns && mark.finding === pair.finding);
  expect(marks.some((mark) => mark.glyph === "instant" && mark.t === pair.t)).toBe(true);
  await open(page, `?w=${from}~10000&sel=${pair.finding}~${pair.instance}`);
  const box = await lanesBox(page);
  const header = await page.locator(`.timeline-header[data-lane="${later?.lanes[0]}"]`).boundingBox();
  await page.mouse.move(box.x + (box.width * (pair.t + apart_ns - from)) / 10_000, (header?.y ?? 0) + (header?.height ?? 0) - LANE_HEIGHT / 2);
  const tip = page.locator(".timeline-tip");
  await expect(tip).toContainText(`${String(Number((apart_ns / 1000).toFixed(3)))} µs after the previous mark`);
});

test("Z folds gaps without marks to 24 px, says what lies in them, and pointer, keys and table follow", async ({ page }) => {
  const id = await open(page);
  const [loss] = await lossMarks(id);
  await open(page, `?w=${(loss?.t ?? 0) - 50_000_000}~1200000000&sel=${loss?.finding}~${loss?.instance}`);
  const chart = page.getByTestId("timeline");
  const folds = page.getByTestId("fold");
  const before = await drawnWindow(page);
  await chart.focus();
  await expect(folds).toHaveCount(0);
  await page.keyboard.press("z");
  await expect(page).toHaveURL(/[?&]z=1/);
  await expect(page.locator("[data-chip=folds]")).toContainText(/^time is folded: \d+ stretch/);
  expect(await drawnWindow(page)).toEqual(before);
  const whole = folds.nth(1);
  expect((await whole.boundingBox())?.width).toBeCloseTo(24, 0);
  await expect(whole).toHaveAttribute("aria-label", /without marks, about [\d,]+ packets$/);
  const [from, to] = [Number(await whole.getAttribute("data-from")), Number(await whole.getAttribute("data-to"))];
  expect(to - from).toBeGreaterThan(before.durationNs * 0.2 * 0.9);

  await test.step("no mark lies in a fold, and each is where the pointer finds it", async () => {
    const { marks } = await api<{ marks: Mark[] }>(`/investigations/${id}/timeline?px=1200`);
    expect(marks.filter((mark) => mark.glyph !== "guide" && mark.t > from && mark.t < to)).toEqual([]);
    const box = await lanesBox(page);
    const edge = await whole.boundingBox();
    const next = marks.filter((mark) => mark.t >= to).sort((a, b) => a.t - b.t)[0];
    await page.mouse.move((edge?.x ?? 0) + 12, box.y + 200);
    const t = Number(await page.getByTestId("cursor").getAttribute("data-t"));
    expect(t).toBeGreaterThan(from);
    expect(t).toBeLessThan(to);
    await page.mouse.move((edge?.x ?? 0) + 30, box.y + 200);
    const behind = Number(await page.getByTestId("cursor").getAttribute("data-t"));
    expect(behind).toBeGreaterThan(to);
    expect(behind).toBeLessThan((next?.t ?? 0) + 100_000_000);
  });

  await test.step("a drag over a fold selects all of its time", async () => {
    const box = await lanesBox(page);
    const edge = await whole.boundingBox();
    await page.mouse.move((edge?.x ?? 0) - 8, box.y + 20);
    await page.mouse.down();
    await page.mouse.move((edge?.x ?? 0) + 32, box.y + 20, { steps: 3 });
    await page.mouse.up();
    await page.getByTestId("selection-bar").getByRole("button", { name: "Zoom" }).click();
    await expect.poll(async () => (await drawnWindow(page)).fromNs).toBeGreaterThan(before.fromNs);
    const zoomed = await drawnWindow(page);
    expect(zoomed.fromNs).toBeLessThan(from);
    expect(zoomed.fromNs + zoomed.durationNs).toBeGreaterThan(to);
    await chart.focus();
    await page.keyboard.press("Backspace");
    await expect.poll(async () => drawnWindow(page)).toEqual(before);
  });

  await test.step("the table tells of the folds, a click looks into one, the chip takes folding off", async () => {
    await page.keyboard.press("t");
    await expect(chart.locator("[data-fold][role=row]").first()).toContainText("without marks");
    await page.keyboard.press("t");
    await whole.click();
    await expect.poll(async () => drawnWindow(page)).toEqual({ fromNs: from, durationNs: to - from });
    await expect(folds).toHaveCount(0);
    await page.locator("[data-chip=folds] button").click();
    await expect(page).not.toHaveURL(/[?&]z=1/);
  });
});

test("lanes are grouped by pod or by destination; what was not captured stays hatched; a filter can take marks out", async ({ page }) => {
  const id = await open(page, "?by=pod");
  const pods = await api<{ lanes: { id: string; name: string; captured: boolean; role: string }[] }>(`/investigations/${id}/timeline?px=1200&group=pod`);
  const headers = page.locator(".timeline-header[data-lane]");
  await expect(headers).toHaveCount(pods.lanes.length);
  for (const lane of pods.lanes.filter((each) => each.role === "pod")) {
    await expect(page.locator(`.timeline-header[data-lane="${lane.id}"]`)).toContainText(lane.name);
    await expect(page.locator(`.timeline-hatch[data-lane="${lane.id}"]`)).toHaveCount(lane.captured ? 0 : 1);
  }
  const table = page.getByTestId("marks-table");
  const all = String(await table.getAttribute("aria-rowcount"));
  await page.getByText("lanes", { exact: true }).click();
  await page.getByRole("combobox", { name: "lanes" }).selectOption("connection");
  await expect(page).toHaveURL(/by=connection/);
  await expect(headers.first()).toContainText("established");
  await page.getByTestId("more-lanes").click();
  await expect(page.locator(".timeline-hatch").first()).toContainText("nothing was captured here");
  await expect(table).toHaveAttribute("aria-rowcount", all);

  const filter = page.getByRole("searchbox", { name: "Filter marks and rows" });
  const shown = async (): Promise<number> => Number(await page.getByTestId("marks-shown").getAttribute("data-count"));
  const drawn = await shown();
  await filter.fill("is absent on");
  await filter.press("Enter");
  await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("is absent on");
  expect(await shown()).toBe(drawn);
  await filter.press("Shift+Enter");
  await expect.poll(shown).toBe((await lossMarks(id)).length);
  await table.locator("[data-mark]").first().getByRole("cell").first().click();
  await expect(page.getByTestId("pulse").first()).toBeAttached();
});

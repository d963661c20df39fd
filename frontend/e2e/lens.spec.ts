/** Times that no window shows apart: the lens does, without zooming; so does a window of 10 µs. */
import { api, expect, test } from "./product";
import { drawnWindow, lanesBox, open, type Mark } from "./timelinePage";

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
  await page.mouse.move(box.x + (box.width * (pair.t + apart_ns - from)) / 10_000, (header?.y ?? 0) + (header?.height ?? 0) / 2);
  const tip = page.locator(".timeline-tip");
  await expect(tip).toContainText(`${String(Number((apart_ns / 1000).toFixed(3)))} µs after the mark before it`);
});

/** Round trips: the stalls of the truth file as groups, both ends, the window, the table twin, one group's samples. */
import truth from "./fixtures/rx-backlog-truth.json" with { type: "json" };
import { analysedDemo, api, expect, test } from "./product";

interface Groups {
  items: { finding: string; instance: number; t: number; t_end: number; samples: number; longest_ms: number }[];
}

const MS = 1_000_000;

test("every stall of the truth is a group with a band, a slope and its samples, seen from both ends", async ({ page }) => {
  const id = await analysedDemo("rx-backlog");
  const { items } = await api<Groups>(`/investigations/${id}/rtt/groups`);
  await page.goto(`/i/${id}/rtt`);
  await expect(page.getByTestId("rtt-claim").locator("a[data-evidence]").first()).toBeVisible();
  const rows = page.getByTestId("rtt-group");
  await expect(rows).toHaveCount(truth.freezes.length);
  // A freeze and the group it left: as many answers as it held, and as long, but for what left just before it.
  const lengths = await rows.evaluateAll((all) => all.map((row) => [Number(row.getAttribute("data-from")), Number(row.getAttribute("data-to")), Number(row.getAttribute("data-samples"))]));
  const firstFreeze = truth.freezes[0];
  truth.freezes.forEach((freeze, n) => {
    const [from, to, samples] = lengths[n] ?? [];
    const frozen_ms = (freeze.drained - freeze.start) * 1000;
    expect(Math.abs(((to ?? 0) - (from ?? 0)) / MS - frozen_ms)).toBeLessThan(15);
    // Onsets lie as far apart as the freezes began, within a probe interval or two.
    const apart_ms = (freeze.start - (firstFreeze?.start ?? 0)) * 1000;
    expect(Math.abs(((from ?? 0) - (lengths[0]?.[0] ?? 0)) / MS - apart_ms)).toBeLessThan(25);
    expect(Math.abs((samples ?? 0) - Number(freeze.held["0"]))).toBeLessThanOrEqual(2);
  });
  // Two panels, the prober's side above; the farther one is not held.
  await expect(page.getByTestId("rtt-panel")).toHaveCount(2);
  await expect(page.getByTestId("comb")).toHaveAttribute("data-period", "none");
  await expect(page.getByRole("navigation", { name: "Investigation" }).getByRole("link", { name: /^RTT/ })).toHaveAttribute("aria-current", "page");

  await page.getByTestId("rtt-chart").focus();
  await page.keyboard.press("]");
  const panel = page.getByTestId("rtt-group-panel");
  const first = items[0];
  await expect(panel).toHaveAttribute("data-group", `${first?.finding}~1`);
  await expect(page).toHaveURL(/sel=/);
  await expect(panel.getByTestId("rtt-samples")).toHaveAttribute("data-total", String(first?.samples));
  await expect(panel.getByTestId("rtt-flows")).toContainText("all traffic between the two hosts was delayed");
  const there_ms = Number(await panel.locator('[data-way="there"]').getAttribute("data-ms"));
  const back_ms = Number(await panel.locator('[data-way="back"]').getAttribute("data-ms"));
  expect(there_ms).toBeGreaterThan(10 * Math.max(back_ms, 0.1));
  await expect(panel.getByTestId("rtt-fall").filter({ hasText: "ICMP echo" })).toContainText("sent every");
  await panel.locator("a[data-evidence]").first().click();
  await expect(page.getByTestId("frame")).toBeVisible();
});

test("zooming shows single samples; scale, table and window are in the address and survive a reload", async ({ page }) => {
  const id = await analysedDemo("rx-backlog");
  const { items } = await api<Groups>(`/investigations/${id}/rtt/groups`);
  const group = items[3];
  if (group === undefined) throw new Error("no group");
  const w = `${group.t - 50 * MS}~${group.t_end - group.t + 100 * MS}`;
  await page.goto(`/i/${id}/rtt?w=${w}`);
  await expect(page.getByTestId("rtt-detail")).toHaveAttribute("data-mode", "samples");
  await expect(page.locator(".rtt-canvas")).toHaveAttribute("data-drawn", w);
  await page.getByRole("button", { name: "log", exact: true }).click();
  await expect(page).toHaveURL(/y=log/);
  // A click on the band chooses its group.
  const surface = page.getByTestId("rtt-surface");
  const box = await surface.boundingBox();
  await surface.click({ position: { x: (box?.width ?? 0) * 0.5, y: 44 } });
  await expect(page.getByTestId("rtt-group-panel")).toHaveAttribute("data-group", `${group.finding}~${group.instance}`);
  await page.getByTestId("rtt-chart").focus();
  await page.keyboard.press("t");
  const total = (await api<{ total: number }>(`/investigations/${id}/rtt?from=${group.t - 50 * MS}&to=${group.t_end + 50 * MS}`)).total;
  const table = page.getByTestId("rtt-chart").getByTestId("rtt-samples");
  await expect(table).toHaveAttribute("data-total", String(total));
  await page.reload();
  await expect(table).toHaveAttribute("data-total", String(total));
  await expect(page.getByRole("button", { name: "log", exact: true })).toHaveAttribute("aria-pressed", "true");
  await page.getByTestId("rtt-chart").focus();
  await page.keyboard.press("t");
  // Ctrl and wheel zooms, and the page stays where it is.
  const scrolled = await page.evaluate(() => window.scrollY);
  const canvas = await surface.boundingBox();
  await page.mouse.move((canvas?.x ?? 0) + 400, (canvas?.y ?? 0) + 60);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -200);
  await page.keyboard.up("Control");
  await expect(page).not.toHaveURL(new RegExp(`w=${w}(&|$)`));
  expect(await page.evaluate(() => window.scrollY)).toBe(scrolled);
});

/** A failure beside the nearest success to the same destination: on the ladder, the timeline and requests, kept by the address. */
import { analysedDemo, api, expect, test } from "./product";

interface Row {
  cid: number;
  instance: number | null;
  finding_ids: string[];
  tries: number;
  server: string;
  server_port: number;
}

async function firstFailed(id: string): Promise<Row> {
  const { items } = await api<{ items: Row[] }>(`/investigations/${id}/connections?finding=syn-retransmission-1&limit=1000`);
  const [row] = items.sort((a, b) => (a.instance ?? 0) - (b.instance ?? 0));
  if (row === undefined) throw new Error("no connection of the finding");
  return row;
}

test("a delayed connection stands beside one that worked, the step that differs is highlighted", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const failed = await firstFailed(id);
  const detail = await api<{ success_cid: number }>(`/investigations/${id}/connections/${failed.cid}`);
  const worked = (await api<{ connection: Row }>(`/investigations/${id}/connections/${detail.success_cid}`)).connection;
  expect([worked.server, worked.server_port, worked.tries, worked.finding_ids]).toEqual([failed.server, failed.server_port, 1, []]);
  await page.goto(`/i/${id}/connections/${failed.cid}`);
  await page.getByRole("button", { name: "Compare with one that worked" }).click();
  await expect(page).toHaveURL(/compare=1/);
  await expect(page.getByTestId("first-difference")).toContainText("SYN is never seen on eth0");
  const ladders = page.getByTestId("ladder");
  await expect(ladders).toHaveCount(2);
  for (const side of [ladders.nth(0), ladders.nth(1)]) await expect(side.locator("[data-differs]")).toHaveAttribute("data-what", "SYN");
  await page.reload();
  await expect(ladders).toHaveCount(2);
  const [left, right] = [await ladders.nth(0).boundingBox(), await ladders.nth(1).boundingBox()];
  expect(Math.abs((left?.y ?? 0) - (right?.y ?? 1e6))).toBeLessThan(4);
  const bars = await page.getByTestId("connect-time").locator("[data-ms]").evaluateAll((all) => all.map((bar) => ({ ms: Number(bar.getAttribute("data-ms")), px: bar.getBoundingClientRect().width })));
  const [waited, handshake] = bars;
  expect((handshake?.px ?? 0) / (waited?.px ?? 1)).toBeLessThan(0.01);
});

test("the timeline shows the same comparison for the selected instance", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}/timeline?sel=syn-retransmission-1~2`);
  await page.getByRole("button", { name: "Compare with one that worked" }).click();
  await expect(page.getByTestId("ladder")).toHaveCount(2);
  await expect(page.getByTestId("first-difference")).toContainText("never seen on eth0");
});

test("a slow request stands over a fast one of the same line", async ({ page }) => {
  const id = await analysedDemo("imds-burst");
  const { items } = await api<{ items: { rid: number }[] }>(`/investigations/${id}/requests?sort=duration_ms&order=desc&limit=50`);
  const details = await Promise.all(items.map(({ rid }) => api<{ request: { rid: number; line?: string; responder: string }; fast_rid: number | null; total_ms: number }>(`/investigations/${id}/requests/${rid}`)));
  const slow = details.find((detail) => detail.fast_rid !== null);
  if (slow === undefined) throw new Error("no request has a fast one beside it");
  const fast = await api<{ request: { responder: string }; total_ms: number }>(`/investigations/${id}/requests/${slow.fast_rid}`);
  expect(fast.request.responder).toBe(slow.request.responder);
  expect(fast.total_ms).toBeLessThanOrEqual(slow.total_ms / 2);
  await page.goto(`/i/${id}/requests?as=list&rid=${slow.request.rid}&compare=1`);
  await expect(page.getByTestId("waterfall")).toHaveCount(2);
  await expect(page.getByTestId("request-difference")).toContainText("against");
});

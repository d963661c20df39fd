/** The table of connections and one connection's ladder, against the truth file of the demonstration. */
import { readFileSync } from "node:fs";

import { analysedDemo, api, expect, test, truth } from "./product";

interface Connection {
  cid: number;
  client_port: number;
  nat_client_port: number | null;
  retry_gaps_s: number[];
}

interface Detail {
  connection: Connection;
  packets: { what: string; frame: number; from_client: boolean }[];
}

async function delayed(id: string): Promise<Connection[]> {
  const { items } = await api<{ items: Connection[] }>(`/investigations/${id}/connections?sort=connect_ms&order=desc&limit=100`);
  return items.filter((connection) => connection.retry_gaps_s.length > 0);
}

test("the table counts logical connections, the finding those that suffered", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}/connections`);
  await expect(page.getByTestId("connections-total")).toHaveAttribute("data-total", String(truth.connections));
  await expect(page.getByTestId("connections-table")).toHaveAttribute("aria-rowcount", String(truth.connections));
  const first = page.locator("[data-cid]").first();
  await expect(first).toContainText("✖");
  await page.getByLabel("Finding").selectOption({ index: 1 });
  await expect(page.getByTestId("connections-total")).toHaveAttribute("data-total", String(truth.delayed));
  const exported = page.getByTestId("export-rows");
  await expect(exported).toContainText(`Copy ${truth.delayed} connections`);
  const [saved] = await Promise.all([page.waitForEvent("download"), exported.getByRole("button", { name: "CSV" }).click()]);
  const lines = readFileSync(await saved.path(), "utf8").trimEnd().split("\r\n");
  expect(lines).toHaveLength(truth.delayed + 1);
  expect(lines[0]).toContain("client_port");
  await page.reload();
  await expect(page.getByTestId("connections-total")).toHaveAttribute("data-total", String(truth.delayed));
});

test("few rows stand in the document, and the last one is reached by scrolling and by End", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}/connections?sort=start&order=asc`);
  await page.locator("[data-cid]").first().waitFor();
  expect(await page.locator("[data-cid]").count()).toBeLessThan(150);
  const scroller = page.getByRole("region", { name: /^Connections, / });
  await expect.poll(async () => {
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    return page.locator(`[aria-rowindex="${truth.connections}"][data-cid]`).count();
  }).toBe(1);
  await scroller.focus();
  await page.keyboard.press("Home");
  await expect(page.locator('[aria-rowindex="1"][data-cid]')).toBeVisible();
  await page.keyboard.press("End");
  await expect(page.locator(`[aria-rowindex="${truth.connections}"][data-cid]`)).toBeVisible();
});

test("the ladder shows the cross, the fold, the rewriting and the frames", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const connections = await delayed(id);
  expect(connections).toHaveLength(truth.delayed);
  const [one] = connections;
  if (!one) throw new Error("no delayed connection");
  const detail = await api<Detail>(`/investigations/${id}/connections/${one.cid}`);
  await page.goto(`/i/${id}/connections/${one.cid}`);
  const ladder = page.getByTestId("ladder");
  await expect(ladder.getByTestId("ladder-missing")).toHaveCount(1);
  await expect(ladder.getByTestId("ladder-missing")).toContainText("never seen on eth0");
  await expect(ladder.getByTestId("ladder-fold").first()).toContainText(one.retry_gaps_s[0]?.toFixed(2) ?? "?");
  await expect(ladder).toContainText(`${one.client_port} → ${one.nat_client_port}`);
  for (const packet of detail.packets.filter((seen) => seen.from_client && seen.what.startsWith("SYN"))) {
    await expect(ladder.getByRole("link", { name: `#${packet.frame}`, exact: true })).toBeVisible();
  }
});

test("every sighting is listed unjoined, and a frame opens in the side panel", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const [one] = await delayed(id);
  const detail = await api<Detail>(`/investigations/${id}/connections/${one?.cid}`);
  await page.goto(`/i/${id}/connections/${one?.cid}`);
  await page.getByText("Show raw, not joined").click();
  await expect(page.getByTestId("sightings").locator("tbody tr")).toHaveCount(detail.packets.length);
  await page.getByTestId("ladder").locator("a[data-evidence]").first().click();
  await expect(page).toHaveURL(/evidence=/);
  await expect(page.getByRole("complementary")).toBeVisible();
});

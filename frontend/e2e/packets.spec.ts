/** All packets: the last is reached, filters give what the API gives, frames lead to their place and back. */
import { analysedDemo, api, expect, test } from "./product";

interface Part {
  items: { input: string; frame: number }[];
  total: number;
}

const packets = (id: string, query: string) => api<Part>(`/investigations/${id}/packets?${query}`);

test("the last packet is reached by the End key, with few rows in the document", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const { total } = await packets(id, "offset=0&limit=1");
  const { items } = await packets(id, `offset=${total - 1}&limit=1`);
  await page.goto(`/i/${id}/packets`);
  await expect(page.getByTestId("packets-total")).toHaveAttribute("data-total", String(total));
  const scroller = page.getByRole("region", { name: /^Packets, .* scrollable$/ });
  await scroller.focus();
  await page.keyboard.press("End");
  await expect(scroller.locator(`[aria-rowindex="${total}"]`)).toContainText(`#${items[0]?.frame}`);
  expect(await scroller.getByRole("row").count()).toBeLessThan(150);
});

test("a filter in Wireshark's words gives what the API gives, and a mistake is marked while the rows stay", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const { total } = await packets(id, "flags=SYN,!ACK&offset=0");
  await page.goto(`/i/${id}/packets`);
  await page.getByLabel("Filter", { exact: true }).fill("tcp.flags.syn == 1 && tcp.flags.ack == 0");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("packets-total")).toHaveAttribute("data-total", String(total));
  await page.getByLabel("Filter", { exact: true }).fill("tcp.flags.syn == 1 && ip.nope == 0");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert").locator("mark")).toHaveText("ip.nope == 0");
  await expect(page.getByTestId("packets-total")).toHaveAttribute("data-total", String(total));
  await page.getByLabel("Filter", { exact: true }).fill("ip.addr == 999.1.1.1");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("is not an IP address");
});

test("a frame of the evidence is found in the list, and a row opens its frame", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const { items } = await packets(id, "offset=9000&limit=1");
  const [one] = items;
  await page.goto(`/i/${id}/packets?evidence=${encodeURIComponent(`${one?.input}#f${one?.frame}`)}`);
  const row = page.locator('[aria-rowindex="9001"]');
  await expect(row).toContainText(`#${one?.frame}`);
  await expect(page.getByTestId("frame")).toHaveAttribute("data-frame", String(one?.frame));
  await page.locator('[aria-rowindex="9002"] a[data-evidence]').click();
  await expect(page.getByTestId("frame")).not.toHaveAttribute("data-frame", String(one?.frame));
});

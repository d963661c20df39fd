/** Wireshark's view of a delayed connection of the demonstration, and of an instance of its finding. */
import { analysedDemo, api, expect, test } from "./product";

interface Detail {
  connection: { cid: number; tries: number };
  packets: { frame: number; marks: string[] }[];
}

test("a connection shows tshark's words beside ours, and the retransmission in both", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const { items } = await api<{ items: { cid: number; tries: number }[] }>(`/investigations/${id}/connections?sort=connect_ms&order=desc&limit=1`);
  const detail = await api<Detail>(`/investigations/${id}/connections/${items[0]?.cid}`);
  await page.goto(`/i/${id}/connections/${items[0]?.cid}`);
  const view = page.getByTestId("wireshark-view");
  await view.getByRole("button", { name: "Show Wireshark's view" }).click();
  await expect(view.getByTestId("wireshark-packet")).toHaveCount(detail.packets.length, { timeout: 60_000 });
  await expect(view.getByTestId("wireshark-summary")).toHaveAttribute("data-differences", "0");
  const again = detail.packets.find((packet) => packet.marks.includes("retransmission"));
  const row = view.locator(`[data-frame="${again?.frame}"]`);
  await expect(row).toContainText("[TCP Retransmission]");
  await expect(row).toContainText("retransmission");
  await row.getByRole("link", { name: `#${again?.frame}` }).click();
  await expect(page).toHaveURL(/evidence=/);
});

test("an instance of a finding has the same view", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const { items } = await api<{ items: { id: string }[] }>(`/investigations/${id}/findings`);
  await page.goto(`/i/${id}/findings/${items[0]?.id}`);
  const view = page.getByTestId("finding-evidence").getByTestId("wireshark-view");
  await view.getByRole("button", { name: "Show Wireshark's view" }).click();
  await expect(view.getByTestId("wireshark-packet").first()).toContainText("TCP", { timeout: 60_000 });
});

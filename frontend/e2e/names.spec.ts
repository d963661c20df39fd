/** Names of addresses from a cluster's objects: on lanes, in lists and on the ladder; switched off, only the addresses stand. */
import { expect, api, demoFile, post, test, untilAnalysed, type Made } from "./product";

const PODS = [["10.244.35.24", "checkout-7f9c-a1"], ["10.244.35.28", "checkout-7f9c-b2"], ["10.244.35.29", "checkout-7f9c-c3"]] as const;

const objects = JSON.stringify({
  apiVersion: "v1", kind: "List",
  items: PODS.map(([address, name]) => ({
    apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "payments", creationTimestamp: "2020-01-01T00:00:00Z" },
    spec: {}, status: { phase: "Running", podIP: address, startTime: "2020-01-01T00:00:00Z" },
  })),
}, null, 4);

test("names stand on lanes, in the list and on the ladder, and can be switched off", async ({ page }) => {
  const { id } = await post<Made>("/investigations", { label: "names" });
  const put = (name: string, body: Uint8Array<ArrayBuffer>) => api(`/investigations/${id}/files/${name}`, { method: "PUT", body });
  await put("pods.json", new TextEncoder().encode(objects));
  await put("three-interfaces.pcapng", new Uint8Array(demoFile("snat-race", "three-interfaces.pcapng")));
  await untilAnalysed(id);

  await page.goto(`/i/${id}/connections`);
  const row = page.locator("[data-cid]").filter({ hasText: "10.244.35.24:" }).first();
  await expect(row.getByTestId("address-name")).toHaveText("payments/checkout-7f9c-a1");
  await expect(row.getByTestId("address-name")).toHaveAttribute("title", /pod, by pods\.json line \d+/);
  await row.locator('a[href*="/connections/"]').click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("payments/checkout-7f9c-a1");
  await expect(page.getByTestId("ladder").locator(".ladder-dot").first()).toHaveAttribute("title", /payments\/checkout-7f9c-a1/);
  const ladder = page.url();

  await page.goto(`/i/${id}/timeline`);
  // A lane that nobody captured is folded.
  await page.getByTestId("more-lanes").click();
  const lane = page.locator('[data-lane="uncaptured:10.244.35.28"]');
  await expect(lane.getByTestId("address-name")).toHaveText("payments/checkout-7f9c-b2");

  await page.goto("/settings");
  await page.getByRole("switch", { name: "Names of addresses" }).uncheck();
  await page.goto(ladder);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("10.244.35.24:");
  await expect(page.getByTestId("address-name")).toHaveCount(0);
  await expect(page.getByTestId("ladder").locator(".ladder-dot").first()).not.toHaveAttribute("title", /payments/);
});

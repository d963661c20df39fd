/** Unknown and malformed addresses: one page without tabs, and never an error of the server. */
import { analysedDemo, expect, serverUrl, test } from "./product";

test("an address that can be no page answers 404 with one page, without tabs", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  for (const address of ["/nowhere", "/i/a b", `/i/${id}/nothing`, `/i/${id}/connections/abc`, `/i/${"a".repeat(65)}`]) {
    const answer = await page.goto(address);
    expect(answer?.status(), address).toBe(404);
    expect(answer?.headers()["content-type"], address).toContain("text/html");
  }
  for (const address of ["/nowhere", `/i/${id}/nothing`, "/i/0000000000000000", "/i/0000000000000000/timeline"]) {
    await page.goto(address);
    await expect(page.getByTestId("not-found").getByRole("link", { name: "All investigations" })).toBeVisible();
    await expect(page.getByRole("link", { name: /^Overview/ })).toHaveCount(0);
    await expect(page.getByRole("alert")).toHaveCount(0);
  }
});

test("an unknown finding or connection of a known investigation leads to those that there are", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  for (const [address, list] of [["findings/nope", "findings"], ["connections/99999999", "connections"], ["connections/99999999999999", "connections"]] as const) {
    await page.goto(`/i/${id}/${address}`);
    await expect(page.getByRole("heading", { level: 1 })).toContainText("The current analysis has no such");
    await expect(page.locator(`main a[href="/i/${id}/${list}"]`)).toBeVisible();
    await expect(page.getByRole("alert")).toHaveCount(0);
  }
});

test("a malformed id is refused by every endpoint, and none fails", async () => {
  const id = await analysedDemo("snat-race");
  const huge = "9".repeat(30);
  for (const address of [
    "investigations/zzz", "investigations/%00", `investigations/${id}/connections/${huge}`, `investigations/${id}/connections/-1/ladder.svg`,
    `investigations/${id}/requests/${huge}`, `investigations/${id}/requests/${huge}/breakdown.svg`, `investigations/${id}/findings/%00`,
    `investigations/${id}/frames/x/${huge}`, `investigations/${id}/timeline?from=${huge}&to=1`, `investigations/${id}/timeline.svg?w=zz`,
    `investigations/${id}/packets?after=${huge}&cursor=x`, "shared/%00/report", "detectors/%00",
  ]) {
    const { status } = await fetch(`${serverUrl()}/api/v1/${address}`);
    expect(status, address).toBeGreaterThanOrEqual(400);
    expect(status, address).toBeLessThan(500);
  }
});

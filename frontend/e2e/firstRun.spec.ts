import { expect, test } from "./product";

test("from the empty home to a visible claim in two clicks", async ({ page }) => {
  await page.goto("/new");
  await page.getByTestId("demo-snat-race").click();
  await expect(page.getByTestId("claim")).toBeVisible({ timeout: 30_000 });
});

test("pasted counters are recognised with their line count", async ({ page }) => {
  const pasted =
    "cpu=0   \tfound=5 invalid=0 insert=0 insert_failed=3 drop=3 early_drop=0 error=0 search_restart=0\n" +
    "cpu=1   \tfound=7 invalid=0 insert=0 insert_failed=4 drop=4 early_drop=0 error=0 search_restart=0\n";
  await page.goto("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, pasted);
  const recognition = page.getByTestId("recognition");
  await expect(recognition).toContainText(/conntrack/);
  await expect(recognition).toContainText("2 lines");
});

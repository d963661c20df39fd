/** An investigation deleted elsewhere: the open page says so, the list no longer has it; printing waits for its data. */
import { api, expect, post, test, untilAnalysed, type Made } from "./product";

async function demoOfItsOwn(): Promise<string> {
  const { id } = await post<Made>("/demo", { name: "imds-burst" });
  await untilAnalysed(id);
  return id;
}

test("a page of a deleted investigation says so, by itself or at the next tab", async ({ page, context }) => {
  const id = await demoOfItsOwn();
  const { label } = await api<{ label: string }>(`/investigations/${id}`);
  await page.goto(`/i/${id}`);
  await expect(page.getByTestId("claim")).toBeVisible();
  const other = await context.newPage();
  await other.goto(`/i/${id}/files`);
  await other.locator("main h1").first().waitFor();
  const list = await context.newPage();
  await list.goto("/");
  await expect(list.locator(`a[href="/i/${id}"]`)).toBeVisible();

  await api(`/investigations/${id}`, { method: "DELETE" });
  await other.getByRole("link", { name: /^Connections/ }).click();
  for (const open of [page, other]) {
    await expect(open.getByTestId("not-found")).toContainText(label);
    await expect(open.getByRole("alert")).toHaveCount(0);
  }
  await expect(list.locator(`a[href="/i/${id}"]`)).toHaveCount(0);
  await page.getByTestId("not-found").getByRole("link").click();
  await expect(page).toHaveURL(/\/$/);
  await expect(page.locator(`a[href="/i/${id}"]`)).toHaveCount(0);
});

test("printing begins when the report has its tables", async ({ page }) => {
  const id = await demoOfItsOwn();
  await page.addInitScript(() => {
    window.print = () => document.body.setAttribute("data-printed-tables", String(document.querySelectorAll("[data-testid=report-table] tbody tr").length));
  });
  let letGo = () => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route(/\/report\/findings\/[^/]+\/rows/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`/i/${id}/report`);
  await page.getByRole("button", { name: "Print or save as PDF" }).click();
  await expect(page.getByRole("button", { name: "Waiting for data" })).toBeVisible();
  await page.waitForTimeout(1_000);
  await expect(page.locator("body")).not.toHaveAttribute("data-printed-tables");
  letGo();
  await expect(page.locator("body")).toHaveAttribute("data-printed-tables", /^[1-9]/);
  await expect(page.getByRole("button", { name: "Print or save as PDF" })).toBeVisible();
});

import { analysedDemo, expect, test, truth } from "./product";

test("a share link opens logged out, read-only, and its secret is in no request", async ({ page, browser, baseURL }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}`);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Create link" }).click();
  const link = await page.getByTestId("share-link").inputValue();
  const secret = link.split("#k=")[1] ?? "";
  expect(secret.length).toBeGreaterThan(40);

  const stranger = await browser.newContext({ baseURL });
  const view = await stranger.newPage();
  const asked: string[] = [];
  view.on("request", (request) => asked.push(request.url()));
  await view.goto(link);
  await expect(view.getByTestId("claim")).toContainText(`${truth.delayed} of ${truth.connections}`);
  await expect(view.getByTestId("share-banner")).toContainText("read-only");
  await expect(view.getByRole("button", { name: "Share" })).toHaveCount(0);
  await view.getByRole("link", { name: /Timeline/ }).first().click();
  await view.waitForURL(/\/timeline/);
  await view.reload();
  await expect(view.getByTestId("share-banner")).toBeVisible();
  expect(asked.filter((url) => url.includes(secret) || /login/i.test(url))).toEqual([]);

  await page.getByRole("button", { name: "Revoke" }).first().click();
  await expect(page.getByRole("button", { name: "Revoke" })).toHaveCount(0);
  const late = await stranger.newPage();
  await late.goto(link);
  await expect(late.getByTestId("share-refused")).toContainText("This link has ended");
  await stranger.close();
});

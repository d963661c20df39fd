import { analysedDemo, expect, test, truth } from "./product";

test("a share link opens logged out, read-only, and its secret is in no request", async ({ page, browser, baseURL }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}`);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByLabel("Addresses, files, requests").selectOption("real");
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

test("a link with other names tells no address, file or host on any page of it", async ({ page, browser, baseURL }) => {
  const id = await analysedDemo("imds-burst");
  await page.goto(`/i/${id}`);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByLabel("Password (optional)").fill("correct horse");
  await page.getByRole("button", { name: "Create link" }).click();
  const link = await page.getByTestId("share-link").inputValue();

  const stranger = await browser.newContext({ baseURL });
  const view = await stranger.newPage();
  const answers: Promise<string>[] = [];
  view.on("response", (answer) => {
    if (answer.url().includes("/api/")) answers.push(answer.text().catch(() => ""));
  });
  await view.goto(link);
  await view.getByLabel("Password").fill("battery staple");
  await view.getByRole("button", { name: "Open" }).click();
  await expect(view.getByRole("alert")).toContainText("wrong");
  await view.getByLabel("Password").fill("correct horse");
  await view.getByRole("button", { name: "Open" }).click();
  await expect(view.getByTestId("share-banner")).toContainText("replaced by names");
  const seen: string[] = [];
  const tabs = await view.getByRole("navigation", { name: "Investigation" }).getByRole("link").count();
  for (let tab = 0; tab < tabs; tab++) {
    await view.getByRole("navigation", { name: "Investigation" }).getByRole("link").nth(tab).click();
    await view.waitForLoadState("networkidle");
    seen.push(await view.locator("body").innerText());
  }
  expect(seen.length).toBeGreaterThan(5);
  const all = [...seen, ...(await Promise.all(answers))].join("\n");
  expect(all).toMatch(/server-1/);
  expect(all.match(/(?<![\d.])172\.18\.\d+\.\d+|app-eth0|conntrack-L\.txt|\/v1\/ads|_search|wJalr|FwoG/g) ?? []).toEqual([]);
  await stranger.close();
});

test("a link to one finding has its tabs and frames only", async ({ page, browser, baseURL }) => {
  const id = await analysedDemo("ipvs-reuse");
  await page.goto(`/i/${id}`);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("dialog").getByRole("combobox").first().selectOption({ index: 1 });
  await page.getByRole("button", { name: "Create link" }).click();
  const link = await page.getByTestId("share-link").inputValue();
  const stranger = await browser.newContext({ baseURL });
  const view = await stranger.newPage();
  await view.goto(link);
  await expect(view.getByTestId("share-banner")).toContainText("one finding");
  await expect(view.getByTestId("claim")).toBeVisible();
  const tabs = view.getByRole("navigation", { name: "Investigation" });
  await expect(tabs.getByRole("link", { name: /Packets|Kernel state|Files/ })).toHaveCount(0);
  await tabs.getByRole("link", { name: /Findings/ }).click();
  await expect(view.getByTestId("finding")).toHaveCount(1);
  await stranger.close();
});

import type { Browser, Page } from "@playwright/test";

import { ownDemo, api, expect, post, serverUrl, test, truth, untilAnalysed, type Made } from "./product";

/** Makes a link in the dialog of the page that is open. */
async function makeLink(page: Page, choose: (dialog: ReturnType<Page["getByRole"]>) => Promise<void> = async () => undefined): Promise<string> {
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog");
  await choose(dialog);
  await dialog.getByRole("button", { name: "Create link" }).click();
  const link = await dialog.getByTestId("share-link").inputValue();
  await dialog.getByRole("button", { name: "Close" }).click();
  return link;
}

async function stranger(browser: Browser, baseURL: string | undefined): Promise<Page> {
  return (await browser.newContext({ baseURL })).newPage();
}

/** What goes wrong from now on: requests that are refused or fail, and what the page says in the console. */
function failuresOf(page: Page): string[] {
  const failures: string[] = [];
  page.on("response", (answer) => { if (answer.status() >= 400) failures.push(`${answer.status()} ${answer.url()}`); });
  page.on("requestfailed", (request) => { if (!/ERR_ABORTED/.test(request.failure()?.errorText ?? "")) failures.push(`failed ${request.url()}`); });
  page.on("console", (message) => { if (message.type() === "error") failures.push(message.text()); });
  page.on("pageerror", (error) => failures.push(error.message));
  return failures;
}

const idOf = (link: string): string => /\/s\/([0-9a-f]+)/.exec(link)?.[1] ?? "";

test("a share link opens logged out, read-only, and its secret is in no request", async ({ page, browser, baseURL }) => {
  const id = await ownDemo("snat-race");
  await page.goto(`/i/${id}`);
  const link = await makeLink(page, async (dialog) => {
    await expect(dialog.getByRole("radio", { name: /frozen now, rules/ })).toBeChecked();
    await dialog.getByLabel("Addresses, files, hosts").selectOption("real");
  });
  const secret = link.split("#k=")[1] ?? "";
  expect(secret.length).toBeGreaterThan(40);

  const view = await stranger(browser, baseURL);
  const asked: string[] = [];
  view.on("request", (request) => asked.push(request.url()));
  await view.goto(link);
  await expect(view.getByTestId("claim")).toContainText(`${truth.delayed} of ${truth.connections}`);
  await expect(view.getByTestId("share-banner")).toContainText("read-only");
  await expect(view.getByTestId("share-state")).toContainText(/^frozen \d{4}-\d\d-\d\d .*rules/);
  await expect(view.getByRole("button", { name: "Share" })).toHaveCount(0);
  await view.getByRole("link", { name: /Timeline/ }).first().click();
  await view.waitForURL(/\/timeline/);
  await view.reload();
  await expect(view.getByTestId("share-banner")).toBeVisible();
  expect(asked.filter((url) => url.includes(secret) || /login|sign-in/i.test(url))).toEqual([]);

  await test.step("closed and ended links answer 410 with the date, and ask nobody to sign in", async () => {
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("button", { name: `Revoke ${idOf(link)}` }).click();
    await expect(page.getByRole("button", { name: `Revoke ${idOf(link)}` })).toHaveCount(0);
    const answered = view.waitForResponse((answer) => answer.url().endsWith("/session"));
    await view.goto(`${link}`);
    await view.reload();
    expect((await answered).status()).toBe(410);
    const refused = view.getByTestId("share-refused");
    await expect(refused).toContainText("This link has expired or was revoked");
    await expect(refused).toContainText(new Date().toISOString().slice(0, 10));
    await expect(refused).toContainText("Ask the sender");
    await expect(view.getByLabel("Password")).toHaveCount(0);
  });
  await view.context().close();
});

test("a link with other names tells no address, file or host on any page of it", async ({ page, browser, baseURL }) => {
  const id = await ownDemo("imds-burst");
  await page.goto(`/i/${id}`);
  const link = await makeLink(page, async (dialog) => dialog.getByLabel("Password (optional)").fill("correct horse"));

  const view = await stranger(browser, baseURL);
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
  await expect(view.getByTestId("share-banner")).toContainText("replaced by pseudonyms");
  const failures = failuresOf(view);
  const seen: string[] = [];
  const servers: string[] = [];
  const links = view.getByRole("navigation", { name: "Investigation" }).getByRole("link");
  const tabs = await links.count();
  for (let tab = 0; tab < tabs; tab++) {
    await links.nth(tab).click();
    await view.waitForLoadState("networkidle");
    // All of the document: texts, titles, labels and addresses of links.
    const page_ = await view.content();
    seen.push(page_, view.url());
    servers.push(...(page_.match(/server-\d+/g) ?? []));
  }
  for (const tab of ["Connections", "Requests"]) {
    await links.filter({ hasText: tab }).click();
    if (tab === "Requests") await view.getByRole("button", { name: "One by one", exact: true }).click();
    const sorts = view.locator("main").getByRole("columnheader").getByRole("button");
    await expect(view.locator("main").getByRole("columnheader").first()).toBeVisible();
    for (let at = 0; at < (await sorts.count()); at++) {
      await sorts.nth(at).click();
      await view.waitForLoadState("networkidle");
    }
    seen.push(await view.content());
  }
  await links.filter({ hasText: "Connections" }).click();
  const first = view.getByTestId("connections-table").locator("a[href*='/connections/']").first();
  await expect(first).toBeVisible();
  servers.push(...((await view.content()).match(/server-\d+/g) ?? []));
  await first.click();
  await view.waitForLoadState("networkidle");
  seen.push(await view.content(), view.url());
  expect(failures).toEqual([]);
  expect(seen.length).toBeGreaterThan(10);
  const all = [...seen, ...(await Promise.all(answers))].join("\n");
  // The same names on all pages: this capture has one server that is asked for.
  expect(new Set(servers).size).toBeGreaterThan(0);
  expect(all.match(/(?<![\d.])172\.18\.\d+\.\d+|app-eth0|conntrack-L\.txt|iptables-save\.txt|\/v1\/ads|_search|wJalr|FwoG/g) ?? []).toEqual([]);
  await view.context().close();
});

test("links to one finding and to one view have their tabs, packets and frames only", async ({ page, browser, baseURL }) => {
  const id = await ownDemo("ipvs-reuse");
  await page.goto(`/i/${id}/findings`);
  const view = await stranger(browser, baseURL);
  const tabs = view.getByRole("navigation", { name: "Investigation" });

  await test.step("a finding", async () => {
    const link = await makeLink(page, async (dialog) => {
      await expect(dialog.getByRole("radio", { name: /this view/ })).toBeDisabled();
      await dialog.getByRole("radio", { name: "one finding" }).check();
    });
    await view.goto(link);
    await expect(view.getByTestId("share-banner")).toContainText("one finding");
    await expect(view.getByTestId("claim")).toBeVisible();
    await expect(tabs.getByRole("link", { name: /Packets|Kernel state|Files/ })).toHaveCount(0);
    await tabs.getByRole("link", { name: /Findings/ }).click();
    await expect(view.getByTestId("finding")).toHaveCount(1);
  });

  await test.step("a view: its window and filter, put there by the server", async () => {
    await page.goto(`/i/${id}/packets?w=1000000000~500000000&q=tcp.flags.syn%20%3D%3D%201`);
    const total = page.getByText(/packets?$/).first();
    await expect(total).toBeVisible();
    const link = await makeLink(page, async (dialog) => {
      await expect(dialog.getByRole("radio", { name: /this view: .*filter tcp.flags.syn == 1/ })).toBeChecked();
    });
    expect(link).not.toContain("tcp.flags");
    await view.goto(link);
    await expect(view.getByTestId("share-banner")).toContainText("one view, packets with tcp.flags.syn == 1");
    await expect(tabs.getByRole("link")).toHaveText([/Overview/, /Timeline/, /Findings/, /Packets/, /Report/]);
    const own = await api<{ total: number }>(
      `/investigations/${id}/packets?from=1000000000&to=1500000000&filter=tcp.flags.syn==1&offset=0&limit=1`,
    );
    expect(own.total).toBeGreaterThan(0);
    const { token } = await post<{ token: string }>(`/shared/${idOf(link)}/session`, { secret: link.split("#k=")[1] });
    const headers = { "X-Stallscope-Share": token };
    const shown = await api<{ total: number }>(`/shared/${idOf(link)}/packets?offset=0&limit=1`, { headers });
    expect(shown.total).toBe(own.total);
    for (const place of ["connections", "requests", "rtt", "dumps"])
      expect((await fetch(`${serverUrl()}/api/v1/shared/${idOf(link)}/${place}`, { headers })).status).toBe(404);
    await view.goto(link.replace("/packets", "/connections"));
    await expect(view.getByRole("heading", { name: "Not part of this share" })).toBeVisible();
  });
  await view.context().close();
});

test("a frozen link stays, a live one tells what changed, and a bot learns nothing", async ({ page, browser, baseURL }) => {
  const { id } = await post<Made>("/demo", { name: "snat-race" });
  await untilAnalysed(id);
  await page.goto(`/i/${id}`);
  const frozen = await makeLink(page, async (dialog) => dialog.getByLabel("Show analyst notes").check());
  const live = await makeLink(page, async (dialog) => {
    await dialog.getByRole("radio", { name: /^live/ }).check();
    await dialog.getByLabel("Show the finding in chat previews").check();
  });

  await test.step("GET by a bot is no opening; it tells what was found only where that was wanted", async () => {
    const html = async (link: string) =>
      (await fetch(`${serverUrl()}/s/${idOf(link)}`, { headers: { "user-agent": "Slackbot-LinkExpanding 1.0" } })).text();
    expect(await html(frozen)).toContain("Packet investigation");
    expect(await html(frozen)).not.toMatch(new RegExp(`${truth.delayed} of|SNAT|og:image|\\d+\\.\\d+\\.\\d+\\.\\d+`));
    expect(await html(live)).toContain(`${truth.delayed} of ${truth.connections}`);
    const picture = /og:image" content="([^"]+)"/.exec(await html(live))?.[1] ?? "";
    const answer = await fetch(picture);
    expect(answer.headers.get("content-type")).toBe("image/png");
    const { items } = await api<{ items: { opened: number }[] }>(`/investigations/${id}/shares`);
    expect(items.map((share) => share.opened)).toEqual([0, 0]);
  });

  const view = await stranger(browser, baseURL);
  await view.goto(live);
  await expect(view.getByTestId("share-state")).toHaveText("live");
  await expect(view.getByTestId("claim")).toBeVisible();
  await expect(view.getByTestId("share-changes")).toHaveCount(0);

  await test.step("after a file is gone, the live link says so and the frozen one does not know", async () => {
    for (const file of ["conntrack-S-before.txt", "conntrack-S-after.txt", "conntrack-E.txt"])
      await api(`/investigations/${id}/files/${file}`, { method: "DELETE" });
    await post(`/investigations/${id}/notes`, { text: "written later" });
    await untilAnalysed(id);
    await view.reload();
    await expect(view.getByTestId("share-changes")).toContainText(/2 findings changed since you looked.*confirmed → likely/);
    await view.goto(frozen);
    await view.reload();
    await expect(view.getByTestId("share-state")).toContainText("frozen");
    await expect(view.getByTestId("verdict").or(view.getByTestId("claim")).first()).toBeVisible();
    await view.getByRole("navigation", { name: "Investigation" }).getByRole("link", { name: /Kernel state/ }).click();
    await expect(view.getByRole("link", { name: /Kernel state/ })).toContainText("5");
    await expect(view.getByText("written later")).toHaveCount(0);
  });
  await view.context().close();
});

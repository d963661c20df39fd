/** What surrounds every page: omnibox, keys, settings, explain mode, glossary. */
import type { Page } from "@playwright/test";

import { analysedDemo, api, expect, test, truth } from "./product";

interface Connection {
  cid: number;
  client: string;
  client_port: number;
  retry_gaps_s: number[];
}

async function slowest(id: string): Promise<Connection> {
  const { items } = await api<{ items: Connection[] }>(`/investigations/${id}/connections?sort=connect_ms&order=desc&limit=1`);
  if (!items[0]) throw new Error("no connection");
  return items[0];
}

const optionsOf = (page: Page) => page.getByTestId("omnibox").getByRole("option");

async function ask(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox", { name: "Search, go, run" });
  await expect(box).toBeFocused();
  await box.fill(text);
  await expect(optionsOf(page).first()).toHaveAttribute("aria-selected", "true");
}

test("the omnibox leads to a connection, a frame, a time and a finding, and runs, filters and explains", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const one = await slowest(id);
  await page.goto(`/i/${id}`);
  await page.getByTestId("claim").waitFor();
  const options = optionsOf(page);

  await ask(page, `${one.client}:${one.client_port}`);
  await expect(options.first()).toContainText(`${one.client}:${one.client_port} →`);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/connections\/\d+$/);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(`${one.client}:${one.client_port}`);

  await ask(page, "#1228");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("frame")).toHaveAttribute("data-frame", "1228");

  await ask(page, "+1.025s");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/timeline\?w=975000000~100000000/);

  await ask(page, "a");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/findings\/[^/]+$/);

  await ask(page, "> kernel");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/state$/);

  await ask(page, "/tcp.port == 80");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/packets\?q=/);
  await expect(page.getByLabel("Filter", { exact: true })).toHaveValue("tcp.port == 80");

  await ask(page, "?masq");
  await expect(page.getByRole("group", { name: "Glossary" }).getByRole("option").first()).toContainText("node's own address");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  const active = await page.getByRole("combobox", { name: "Search, go, run" }).getAttribute("aria-activedescendant");
  await expect(options.first()).toHaveAttribute("id", active ?? "");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("omnibox")).toHaveCount(0);
});

test("G and a letter change the page, ? names the keys, and turned off only Ctrl K is left", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}`);
  await page.getByTestId("claim").waitFor();
  for (const [key, place] of [["t", "timeline"], ["c", "connections"], ["k", "state"], ["p", "packets"], ["f", "files"]]) {
    await page.keyboard.press("g");
    await expect(page.getByTestId("key-hint")).toContainText("Go to");
    await page.keyboard.press(String(key));
    await expect(page).toHaveURL(new RegExp(`/i/${id}/${place}`));
  }
  await page.keyboard.press("?");
  await expect(page.getByTestId("key-help")).toContainText("previous, next mark");
  await page.keyboard.press("Escape");

  await page.goto("/settings");
  await page.getByRole("switch", { name: "Single keys" }).click();
  await page.goto(`/i/${id}/timeline`);
  await page.locator("[data-drawn]").waitFor();
  await page.getByTestId("timeline").focus();
  for (const key of [".", "t", "?", "g", "o"]) await page.keyboard.press(key);
  await expect(page.getByTestId("live")).toBeEmpty();
  await expect(page.getByTestId("key-help")).toHaveCount(0);
  await expect(page).toHaveURL(/\/timeline/);
  await page.keyboard.press("ArrowRight"); // moves within a focused part, and is no character
  await expect(page.getByTestId("live")).not.toBeEmpty();
  await page.keyboard.press("Control+k");
  await expect(page.getByTestId("omnibox")).toBeVisible();
});

test("settings hold after a reload: theme, density and time zone", async ({ browser, baseURL }) => {
  const id = await analysedDemo("snat-race");
  const context = await browser.newContext({ baseURL, timezoneId: "Asia/Kolkata" });
  const page = await context.newPage();
  await page.goto("/settings");
  await page.getByRole("radio", { name: "High contrast" }).check();
  await page.getByRole("radio", { name: "Comfortable" }).check();
  await page.getByRole("radio", { name: "This machine" }).check();
  await page.goto(`/i/${id}/timeline`);
  await page.locator("[data-drawn]").waitFor();
  const root = page.locator("html");
  await expect(root).toHaveAttribute("data-high-contrast", "");
  await expect(root).toHaveAttribute("data-density", "comfortable");
  expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe("rgb(0, 0, 0)");
  const { t0 } = await api<{ t0: string }>(`/investigations/${id}/timeline?px=100`);
  const local = new Date(Number(BigInt(t0) / 1_000_000n) + 5.5 * 3_600_000).toISOString().slice(11, 16);
  await page.goto(`/i/${id}`);
  await expect(page.getByText(/UTC\+05:30$/).first()).toBeVisible();
  await expect(page.locator("main")).toContainText(local);
  await page.getByTestId("theme-switch").click();
  await expect(root).not.toHaveAttribute("data-high-contrast", "");
  await context.close();
});

test("explain mode puts plain words under claims, lanes and columns; dotted words open their meaning", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}`);
  await expect(page.getByTestId("claim")).toContainText(String(truth.delayed));
  await expect(page.getByTestId("plain")).toHaveCount(0);
  const word = page.getByTestId("claim").locator('.term[data-term="SYN"]');
  await word.focus();
  await expect(page.getByRole("tooltip")).toContainText("first packet of a TCP connection");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("tooltip").filter({ hasText: "first packet of a TCP connection" })).toHaveCount(0);
  await word.hover();
  await expect(page.getByRole("tooltip").filter({ hasText: "first packet of a TCP connection" })).toBeVisible();

  await page.getByTestId("explain-switch").click();
  await expect(page.locator("[data-claim=statement]").getByTestId("plain")).toContainText("In short:");
  expect(await page.locator("[data-claim=step]").getByTestId("plain").count()).toBeGreaterThan(0);
  await page.goto(`/i/${id}/timeline`);
  await expect(page.locator(".timeline-header").getByTestId("plain").first()).toBeVisible();
  await page.goto(`/i/${id}/connections`);
  await expect(page.getByTestId("plain-columns")).toContainText("how the attempt ended");
  await page.getByTestId("explain-switch").click();
  await expect(page.getByTestId("plain-columns")).toHaveCount(0);
});

/** From dropped files to the verdict without a click. */
import { readdirSync } from "node:fs";
import path from "node:path";

import { api, DEMOS, demoFile, drop, expect, test, truth } from "./product";

const FILES = readdirSync(path.join(DEMOS, "snat-race")).filter((name) => /\.(pcapng|txt)$/.test(name))
  .map((name) => ({ name, bytes: demoFile("snat-race", name) }));
const DOCX = Buffer.concat([Buffer.from([0x50, 0x4b, 0x03, 0x04]), Buffer.alloc(26), Buffer.from("[Content_Types].xml word/document.xml")]);

interface Listed {
  id: string;
  label: string;
  source: string;
  files_total: number;
}

/** Made by the page and without files, or named after the refused file; other specs make investigations meanwhile. */
const empty = async (): Promise<string[]> => (await api<{ items: Listed[] }>("/investigations?limit=200")).items
  .filter((each) => each.source === "browser" && (each.files_total === 0 || each.label.includes("notes"))).map((each) => each.id);

test("files dropped at home end on the claim by themselves, named by what was found, and the name is edited in place", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await drop(page, FILES);
  await expect(page).toHaveURL(/\/i\/[^/]+\/files$/);
  await expect(page.getByTestId("claim")).toContainText(`${truth.delayed} of`);
  await expect(page).toHaveURL(/\/i\/[^/]+$/);
  const name = page.locator(".top-bar-name");
  await expect(name).toHaveText(/^[\d.]+:80, \d{4}-\d\d-\d\d$/);
  await name.click();
  await page.getByLabel("New title").fill("checkout is slow");
  await page.keyboard.press("Enter");
  await expect(name).toHaveText("checkout is slow");
  await page.goBack();
  await expect(page).toHaveURL(/\/files$/);
  await expect(page.getByTestId("file")).toHaveCount(FILES.length);
});

test("who opened another tab meanwhile is shown the claim, and stays", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await drop(page, FILES);
  await expect(page).toHaveURL(/\/files$/);
  await page.getByRole("link", { name: "Connections" }).click();
  const banner = page.getByTestId("answer-banner");
  await expect(banner).toContainText(`${truth.delayed} of`);
  await expect(page).toHaveURL(/\/connections$/);
  await banner.getByRole("link", { name: "Show the verdict" }).click();
  await expect(page.getByTestId("claim")).toContainText(`${truth.delayed} of`);
  await expect(banner).toHaveCount(0);
});

test("a refused file creates nothing, and says why", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  const before = await empty();
  await drop(page, [{ name: "notes.docx", bytes: DOCX }]);
  await expect(page.getByTestId("drop-failure")).toContainText("Office document");
  await expect(page).toHaveURL(/\/$/);
  await expect.poll(async () => (await empty()).filter((id) => !before.includes(id))).toEqual([]);
});

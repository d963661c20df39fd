/** The same symptom, four incidents of the laboratory: each gets an answer of its own. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { analysedDemo, api, expect, post, test, untilAnalysed, type Made } from "./product";

const FIXTURES = path.resolve(import.meta.dirname, "fixtures");

interface Report {
  diagnoses: { cause: string; title: string; statement: string }[];
  account: { delayed: number; unexplained: number; explained: { cause: string; count: number }[] };
}

async function analysedFolder(name: string): Promise<string> {
  const { id } = await post<Made>("/investigations", { label: name });
  for (const file of readdirSync(path.join(FIXTURES, name))) {
    const body = readFileSync(path.join(FIXTURES, name, file));
    await api(`/investigations/${id}/files/${file}`, { method: "PUT", body });
  }
  await untilAnalysed(id);
  return id;
}

test("look-alikes get different causes, and the account of each is shown", async ({ page }) => {
  const folders = ["snat-emulated", "snat-exhaust", "snat-portreuse"];
  const ids = [await analysedDemo("snat-race"), ...(await Promise.all(folders.map(analysedFolder)))];
  const causes = new Set<string>();
  for (const id of ids) {
    const { diagnoses, account } = await api<Report>(`/investigations/${id}/report`);
    await page.goto(`/i/${id}`);
    await expect(page.getByTestId("claim")).toHaveText(diagnoses[0]?.statement ?? "");
    causes.add((await page.getByTestId("diagnosis").first().getAttribute("data-cause")) ?? "");
    const explained = account.explained.reduce((sum, line) => sum + line.count, 0);
    expect(explained + account.unexplained).toBe(account.delayed);
    expect(account.delayed).toBeGreaterThan(10);
    await expect(page.getByTestId("account")).toContainText(`${account.delayed} connections waited 0.9 s or more`);
    await expect(page.getByTestId("account")).toContainText(`${explained} explained, ${account.unexplained} not`);
    const unexplained = page.getByTestId("unexplained").locator("a[data-evidence]");
    expect((await unexplained.count()) > 0).toBe(account.unexplained > 0);
  }
  expect(causes.size).toBe(ids.length);
});

test("how it is recognised is told in the words of the rule", async ({ page }) => {
  await page.goto(`/i/${await analysedDemo("snat-race")}`);
  await page.getByRole("button", { name: "Detection rule" }).click();
  const rules = page.getByTestId("rule");
  await expect(rules.first().getByRole("heading", { name: "Thresholds" })).toBeVisible();
  await expect(rules.first().getByRole("columnheader", { name: "why" })).toBeVisible();
});

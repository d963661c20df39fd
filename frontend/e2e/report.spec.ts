/** The report: the verdict on its first page, the evidence behind it, and the same as Markdown. */
import { readFileSync } from "node:fs";

import { analysedDemo, api, expect, test, truth } from "./product";

interface Report {
  label: string;
  diagnoses: { statement: string }[];
  inputs: { name: string; sha256: string }[];
}

test("the report has verdict, evidence and files, and prints without its buttons", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const report = await api<Report>(`/investigations/${id}/report`);
  await page.goto(`/i/${id}/report`);
  await expect(page.getByTestId("claim")).toHaveText(report.diagnoses[0]?.statement ?? "?");
  await expect(page.getByTestId("report-table").first().locator("tbody tr")).toHaveCount(truth.delayed);
  for (const input of report.inputs) await expect(page.getByText(input.sha256)).toBeVisible();
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("button", { name: "Markdown" })).toBeHidden();
  await expect(page.getByTestId("claim")).toBeVisible();
  expect((await page.pdf({ format: "A4" })).byteLength).toBeGreaterThan(20_000);
});

test("the Markdown that is downloaded is the one of the API", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}/report`);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Markdown" }).click()]);
  expect(download.suggestedFilename()).toMatch(/\.md$/);
  const answer = await page.request.get(`/api/v1/investigations/${id}/report?format=markdown`);
  expect(readFileSync(await download.path(), "utf8")).toBe(await answer.text());
});

/** The pages of findings, against the API and the truth file of the demonstration. */
import { analysedDemo, api, expect, test, truth } from "./product";

interface Finding {
  id: string;
  title: string;
  count: number;
  measures: Record<string, unknown>;
  tables: { name: string; rows_total: number }[];
}

interface Report {
  findings: Finding[];
  diagnoses: { findings: string[]; statement: string; rivals: unknown[] }[];
}

async function explained(id: string): Promise<{ finding: Finding; report: Report }> {
  const report = await api<Report>(`/investigations/${id}/report`);
  const finding = report.findings.find((each) => report.diagnoses[0]?.findings.includes(each.id) && each.tables.length > 0);
  if (!finding) throw new Error("no finding with a table");
  return { finding, report };
}

test("a finding's page holds its diagnosis, measures, instances and evidence", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const { finding, report } = await explained(id);
  await page.goto(`/i/${id}/findings`);
  await expect(page.getByTestId("finding")).toHaveCount(report.findings.length);
  await page.getByRole("link", { name: finding.title }).first().click();
  await expect(page).toHaveURL(new RegExp(`/findings/${finding.id}$`));
  await expect(page.getByTestId("claim")).toHaveText(report.diagnoses[0]?.statement ?? "?");
  await expect(page.getByTestId("diagnosis").locator("[data-section]")).toHaveCount(8);
  await expect(page.getByTestId("rival")).toHaveCount(report.diagnoses[0]?.rivals.length ?? -1);
  await expect(page.getByTestId("measures").locator("dt")).toHaveCount(Object.keys(finding.measures).length);
  const table = page.getByTestId("finding-table").first();
  await expect(table).toHaveAttribute("data-total", String(truth.delayed));
  await expect(table.getByRole("table")).toHaveAttribute("aria-rowcount", String(finding.tables[0]?.rows_total));
});

test("a long table reaches its last row by the End key, and its frames open beside it", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const { finding } = await explained(id);
  // The verdict's door leads to the instances themselves.
  await page.goto(`/i/${id}`);
  await page.getByRole("link", { name: `Show all ${finding.count}` }).click();
  await expect(page.getByTestId("finding-table").first()).toBeInViewport();
  await expect(page.getByRole("link", { name: `Its ${finding.count} connections` })).toHaveAttribute("href", new RegExp(`/connections\\?sel=${finding.id}`));
  const scroller = page.getByTestId("finding-table").first().getByRole("region");
  await scroller.focus();
  await page.keyboard.press("End");
  await expect(scroller.locator(`[aria-rowindex="${truth.delayed}"]`)).toBeVisible();
  await scroller.locator("a[data-evidence]").first().click();
  await expect(page.getByTestId("frame")).toBeVisible();
});

test("instances are walked one by one on the finding's own timeline", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const { finding } = await explained(id);
  await page.goto(`/i/${id}/findings/${finding.id}`);
  const strip = page.getByTestId("local-strip");
  await expect(strip).toContainText(`all ${truth.delayed} instances`);
  await strip.getByRole("link", { name: "Show an example" }).click();
  await strip.getByRole("link", { name: /next/ }).click();
  await expect(strip).toContainText(`instance 2 of ${truth.delayed}`);
  await expect(strip.getByRole("link", { name: "Open timeline" })).toHaveAttribute("href", new RegExp(`sel=${finding.id}~2&w=`));
});

test("a finding that the analysis no longer has says so and leads on", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}/findings/gone-7`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("The current analysis has no such finding");
  await page.getByRole("link", { name: /All findings/ }).click();
  await expect(page.getByTestId("finding").first()).toBeVisible();
});

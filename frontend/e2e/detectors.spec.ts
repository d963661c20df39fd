/** Detection rules: every rule of the API is on the page, whole. */
import { api, expect, test } from "./product";

interface Rule {
  kind: string;
  rule: string;
}

test("every rule is listed and opens with its thresholds and their reasons", async ({ page }) => {
  const { items } = await api<{ items: Rule[] }>("/detectors");
  await page.goto("/detectors");
  await expect(page.getByTestId("detector")).toHaveCount(items.length);
  const rule = items.find((each) => /^\| name \| value \| why \|$/m.test(each.rule));
  if (!rule) throw new Error("no rule has thresholds");
  await page.locator(`[data-kind="${rule.kind}"] a`).click();
  await expect(page).toHaveURL(new RegExp(`/detectors/${rule.kind}$`));
  const text = page.getByTestId("rule-text");
  await expect(text.getByRole("columnheader", { name: "why" })).toBeVisible();
  await expect(text).toContainText("Look-alikes");
});

test("a rule that is no more says so beside those that are", async ({ page }) => {
  await page.goto("/detectors/gone");
  await expect(page.getByRole("heading", { name: "Rule not found" })).toBeVisible();
  await page.getByRole("link", { name: "All rules" }).click();
  await expect(page.getByTestId("detector").first()).toBeVisible();
});

test("every cause is listed, and opens with its mechanism and its sources", async ({ page }) => {
  const { items } = await api<{ items: { cause: string; title: string }[] }>("/causes");
  await page.goto("/detectors");
  const causes = page.getByTestId("cause-rule");
  await expect(causes).toHaveCount(items.length);
  await causes.first().locator("summary").click();
  await expect(causes.first()).toContainText("Mechanism");
  await expect(causes.first()).toContainText("Sources");
});

/** The tour of a finding: each step is tied to an element, and Esc ends it for good. */
import { expect, ownDemo, test } from "./product";

test("the tour shows five elements of the Overview, and stays away once dismissed", async ({ page }) => {
  const id = await ownDemo("snat-race");
  await page.goto(`/i/${id}`);
  const tour = page.getByTestId("tour");
  await tour.getByRole("button", { name: "Start tour" }).click();
  const titles: string[] = [];
  for (let step = 1; step <= 5; step += 1) {
    await expect(tour).toContainText(`${String(step)} of 5`);
    const target = page.locator(".tour-target");
    await expect(target).toHaveCount(1);
    await expect(target).toBeInViewport();
    titles.push((await target.textContent()) ?? "");
    if (step < 5) await tour.getByRole("button", { name: "Next step" }).click();
  }
  expect(new Set(titles).size).toBe(5);
  await page.keyboard.press("Escape");
  await expect(tour).toHaveCount(0);
  await expect(page.locator(".tour-target")).toHaveCount(0);
  await page.reload();
  await expect(page.getByTestId("claim")).toBeVisible();
  await expect(tour).toHaveCount(0);
});

test("who wants no tour dismisses it without starting it", async ({ page }) => {
  await page.goto(`/i/${await ownDemo("imds-burst")}`);
  await page.getByTestId("tour").getByRole("button", { name: "Dismiss" }).click();
  await expect(page.getByTestId("tour")).toHaveCount(0);
});

/** At the width that 1440 px have at 200 %, and on a phone, nothing is wider than the window and no word is a column of letters. */
import { analysedDemo, expect, test } from "./product";

const PAGES = ["", "/findings", "/connections", "/rtt", "/requests", "/state", "/files", "/report"];
const WIDTHS_PX = [720, 390];

for (const width of WIDTHS_PX) {
  for (const demo of ["snat-race", "imds-burst"]) {
    test(`the pages of ${demo} fit into ${String(width)} px`, async ({ page }) => {
      await page.setViewportSize({ width, height: 844 });
      const id = await analysedDemo(demo);
      for (const name of PAGES) {
        await page.goto(`/i/${id}${name}`);
        await page.locator("main h1").first().waitFor();
        await page.waitForLoadState("networkidle");
        expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), name).toBeLessThanOrEqual(0);
        const lettered = await page.locator("main td, main th, main [role=cell]").evaluateAll((cells) =>
          // A head that is clipped away is for screen readers.
          cells.filter((cell) => getComputedStyle(cell.closest("thead") ?? cell).clipPath === "none").filter((cell) => cell.clientWidth > 0 && cell.clientWidth < 24 && cell.clientHeight > 80 && (cell.textContent ?? "").trim().length > 4)
            .map((cell) => cell.textContent));
        expect(lettered, name).toEqual([]);
      }
    });
  }
}

/** The timeline as a file. */
import { readFileSync } from "node:fs";

import { expect, test } from "./product";
import { open } from "./timelinePage";

test("the timeline is saved as SVG below 80 kB and as PNG of twice the size", async ({ page }) => {
  await open(page);
  const saved = async (name: string): Promise<Buffer> => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    return readFileSync(await download.path());
  };
  const svg = (await saved("Save SVG")).toString("utf8");
  expect(svg.length).toBeLessThanOrEqual(80_000);
  expect(svg).toContain("SYN retransmissions to");
  const width = Number(/width="(\d+)"/.exec(svg)?.[1]);
  const png = await saved("Save PNG");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect(png.readUInt32BE(16)).toBe(2 * width);
});

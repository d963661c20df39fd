/** Times of the page on this machine, printed as a table: `npm run bench`. Nothing is asserted. */
import { defineConfig } from "@playwright/test";

import specs from "./playwright.config";

export default defineConfig({ ...specs, testDir: "bench", timeout: 1_200_000, retries: 0, reporter: [["line"]] });

/** Pictures of every page: `npm run screens`. Nothing is asserted but that each page draws. */
import { defineConfig } from "@playwright/test";

import specs from "./playwright.config";

export default defineConfig({ ...specs, testDir: "screens", timeout: 1_200_000, retries: 0, workers: 1, reporter: [["line"]] });

import { existsSync } from "node:fs";

import { defineConfig } from "@playwright/test";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/startServer.ts",
  // The specs share one server and its data folder, as people share one installation; one alone leaves most of two
  // processors idle.
  workers: 2,
  timeout: 240_000,
  // What a page owes is asserted, not how soon on a machine that has other work.
  expect: { timeout: 60_000 },
  // A machine that stood still for seconds fails no change; a spec that needed it is named "flaky" in the log.
  retries: process.env.CI ? 2 : 0,
  reporter: [["list"]],
  use: {
    // Written by startServer before the specs are read.
    baseURL: process.env.STALLSCOPE_E2E_URL,
    viewport: { width: 1440, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
    launchOptions: {
      executablePath: existsSync(CHROMIUM) ? CHROMIUM : undefined,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
      ],
    },
  },
});

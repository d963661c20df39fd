/** The pages of a large investigation: where each is, and what stands on it when it can be used. */
import type { Page } from "@playwright/test";

export interface LargePage {
  name: string;
  path: string;
  /** Its first rows, marks or sentences. */
  usable: string;
  /** What a reader would do there next: each asks the server for more. */
  goOn?: (page: Page) => Promise<void>;
}

const toLastRow = (label: RegExp) => async (page: Page) => {
  await page.getByRole("region", { name: label }).first().focus();
  await page.keyboard.press("End");
  await page.waitForLoadState("networkidle");
};

/** From far to near: density of all of it, of a stretch, and single packets. */
async function zoomTimeline(page: Page): Promise<void> {
  await page.getByTestId("timeline").focus();
  for (const key of ["0", "Shift+W", "Shift+W", "Shift+W", "Shift+W", "Shift+W", "Shift+W", "Shift+W", "Shift+W", "d", "a"]) {
    await page.keyboard.press(key);
    await page.waitForLoadState("networkidle");
  }
}

/** `finding` is the id of one. */
export const largePages = (finding: string): LargePage[] => [
  { name: "Overview", path: "", usable: "[data-testid=claim]" },
  { name: "Timeline", path: "/timeline", usable: "[data-drawn]", goOn: zoomTimeline },
  { name: "Findings", path: "/findings", usable: "[data-testid=finding]" },
  { name: "Finding", path: `/findings/${finding}`, usable: "[data-testid=finding-table]", goOn: toLastRow(/^instances, /) },
  { name: "Connections", path: "/connections", usable: "[data-cid]", goOn: toLastRow(/^Connections, /) },
  { name: "Connection", path: "/connections/5", usable: "[data-testid=ladder]" },
  { name: "Round trips", path: "/rtt", usable: "[data-drawn]" },
  { name: "Requests, grouped", path: "/requests", usable: "[data-testid=requests-count]" },
  { name: "Requests, one by one", path: "/requests?as=list", usable: "[data-testid=requests-total]", goOn: toLastRow(/^Requests, /) },
  { name: "Kernel state", path: "/state", usable: "main h1" },
  { name: "Packets", path: "/packets", usable: "[role=row][aria-rowindex='1'] .evidence-link", goOn: toLastRow(/^Packets, /) },
  { name: "Files", path: "/files", usable: "[data-testid=file]" },
  { name: "Report", path: "/report", usable: "[data-testid=report]" },
];

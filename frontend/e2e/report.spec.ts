/** The report: the verdict on its first page, the evidence behind it, and the same as Markdown. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import type { Page } from "@playwright/test";

import { analysedDemo, api, expect, test, truth } from "./product";

interface Report {
  label: string;
  diagnoses: { statement: string; verdict: string; time_lost_s: number; do_now: { what: string } | null }[];
  inputs: { name: string; sha256: string }[];
}

/** As the page says them. */
const VERDICTS: Record<string, string> = { confirmed: "Confirmed", likely: "Likely", possible: "Possible", "cannot-tell": "Undecided" };

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

  await expect.poll(() => page.getByTestId("report-timeline").locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(900);
  const { pages, firstPage, firstPages } = await printed(page);
  const [first] = report.diagnoses;
  // Commands between backticks are shown as code.
  const words = (text: string) => text.replace(/[\s`]+/g, "");
  for (const told of [first?.statement, VERDICTS[first?.verdict ?? ""], `${first?.time_lost_s.toFixed(1)} s`, first?.do_now?.what]) {
    expect(words(firstPage)).toContain(words(told ?? "?"));
  }
  expect(words(firstPages)).toContain("0=01:11:43.486947163");
  // No row is cut, neither at the edge of the paper nor at the end of a page: all its cells stand on one page.
  const rows = await page.getByTestId("report-table").locator("tbody tr").evaluateAll((found) => found.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? "")));
  expect(rows.length).toBeGreaterThan(truth.delayed);
  const uncut = (row: string[]) => pages.some((text) => row.every((cell) => words(cell) === "" || text.some((column) => column.includes(words(cell)))));
  expect(rows.filter((row) => !uncut(row))).toEqual([]);
});

interface Phrase {
  left: number;
  top: number;
  right: number;
  text: string;
}

/** Words of one line that stand closer than cells do: points. */
const CELL_GAP = 4;

/** The first page and the first two as text, and of each page what stands below one another in columns, line breaks within a cell undone. */
async function printed(page: Page): Promise<{ pages: string[][]; firstPage: string; firstPages: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), "stallscope-pdf-"));
  const file = path.join(folder, "report.pdf");
  await page.pdf({ format: "A4", path: file });
  const words = execFileSync("pdftotext", ["-tsv", file, "-"], { encoding: "utf8", maxBuffer: 1 << 26 }).split("\n").slice(1);
  const firstPage = execFileSync("pdftotext", ["-l", "1", file, "-"], { encoding: "utf8" });
  const firstPages = execFileSync("pdftotext", ["-l", "2", file, "-"], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  const pages: Phrase[][] = [];
  for (const line of words) {
    const [level, number, , , , , left, top, width, , , text] = line.split("\t");
    if (level !== "5" || text === undefined) continue;
    const onPage = (pages[Number(number)] ??= []);
    const last = onPage.at(-1);
    const word = { left: Number(left), top: Number(top), right: Number(left) + Number(width), text };
    const gap = last ? word.left - last.right : Infinity;
    if (last && Math.abs(last.top - word.top) < 1 && gap >= -1 && gap < CELL_GAP) Object.assign(last, { right: word.right, text: last.text + text });
    else onPage.push(word);
  }
  return { pages: pages.filter(Boolean).map(columnsOf), firstPage, firstPages };
}

function columnsOf(phrases: Phrase[]): string[] {
  const columns = new Map<number, Phrase[]>();
  for (const phrase of phrases) columns.set(Math.round(phrase.left), [...(columns.get(Math.round(phrase.left)) ?? []), phrase]);
  return [...columns.values()].map((column) => column.sort((a, b) => a.top - b.top).map((phrase) => phrase.text).join(""));
}

test("the Markdown that is downloaded is the one of the API", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}/report`);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Markdown" }).click()]);
  expect(download.suggestedFilename()).toMatch(/\.md$/);
  const answer = await page.request.get(`/api/v1/investigations/${id}/report?format=markdown`);
  expect(readFileSync(await download.path(), "utf8")).toBe(await answer.text());
});

/** One cause at many destinations is one answer, whose parts add up; what to do first can be typed as it stands. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { analysedDemo, api, expect, test, untilAnalysed } from "./product";

const REPOSITORY = path.resolve(import.meta.dirname, "../..");
const STALLSCOPE = process.env.STALLSCOPE ?? path.join(REPOSITORY, ".venv/bin/stallscope");
const PYTHON = path.join(path.dirname(STALLSCOPE), "python");
/** Traffic of every kind of the benchmark, with hundreds of destinations that lose SYNs. */
const PACKETS = 1_000_000;
const ROWS_A_PAGE = 25;
const CARDS_MOST = 5;
const OVERVIEW_MOST_PX = 2_500;
const PRINTED_PAGES_MOST = 12;
const WORDS_MOST = 12;

interface Outline {
  diagnoses: { id: string; verdict: string; time_lost_s: number; do_now: { action: string; what: string; command: string | null } | null }[];
  groups: { diagnoses: string[]; statement: string; time_lost_s: number; rows_total: number; rows: { time_lost_s: number }[] }[];
  findings_total: number;
}

const run = promisify(execFile);
let everything: Promise<string> | undefined;

async function generated(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "stallscope-everything-"));
  const file = path.join(folder, "everything.pcap");
  await run(PYTHON, ["-m", "workers.decode.bench.generate", file, String(PACKETS), "everything"], { cwd: REPOSITORY });
  const server = process.env.STALLSCOPE_E2E_URL ?? "";
  const { stdout: said } = await run(STALLSCOPE, ["upload", "--server", server, "--label", "Everything at once", file]);
  rmSync(folder, { recursive: true, force: true });
  const id = /\/i\/([0-9a-f]+)/.exec(said)?.[1];
  if (!id) throw new Error(said);
  await untilAnalysed(id);
  return id;
}

/** Its id; made once. */
const investigated = (): Promise<string> => (everything ??= generated());

test("a million packets with many destinations are at most five cards that add up", async ({ page }) => {
  const id = await investigated();
  const outline = await api<Outline>(`/investigations/${id}/report/outline`);
  expect(outline.groups.some((group) => group.rows_total >= 40)).toBe(true);
  for (const group of outline.groups) {
    if (group.rows.length < group.rows_total) continue;
    expect(group.rows.reduce((sum, row) => sum + row.time_lost_s, 0)).toBeCloseTo(group.time_lost_s, 3);
  }
  await page.goto(`/i/${id}`);
  await expect(page.getByTestId("claim")).toHaveText(outline.groups[0]?.statement ?? "");
  await page.waitForLoadState("networkidle");
  const cards = (await page.getByTestId("other-diagnosis").filter({ visible: true }).count()) + (await page.getByTestId("undecided").count());
  expect(1 + cards).toBeLessThanOrEqual(CARDS_MOST);
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(OVERVIEW_MOST_PX);
});

test("the time lost of an investigation is the sum over its cards", async () => {
  const id = await investigated();
  const { groups } = await api<Outline>(`/investigations/${id}/report/outline`);
  const report = await api<Outline>(`/investigations/${id}/report`);
  const { time_lost_s } = await api<{ time_lost_s: number }>(`/investigations/${id}`);
  const grouped = new Set(groups.flatMap((group) => group.diagnoses));
  const alone = report.diagnoses.filter((each) => !grouped.has(each.id));
  const sum = [...groups, ...alone].reduce((total, each) => total + each.time_lost_s, 0);
  expect(sum).toBeCloseTo(time_lost_s, 2);
});

test("the table of destinations is sorted by any column, 25 rows a page", async ({ page }) => {
  const id = await investigated();
  await page.goto(`/i/${id}`);
  const { groups } = await api<Outline>(`/investigations/${id}/report/outline`);
  const rows = groups.map((group) => group.rows_total).find((total) => total > ROWS_A_PAGE && total <= 2 * ROWS_A_PAGE) ?? 0;
  const many = page.getByTestId("targets").filter({ hasText: `${String(rows)} rows` });
  await many.locator("summary").click();
  await expect(many.getByTestId("target")).toHaveCount(ROWS_A_PAGE);
  await many.getByRole("button", { name: "Destination" }).click();
  const addresses = await many.getByTestId("target").locator("td:first-child").allInnerTexts();
  const numeric = new Intl.Collator("en", { numeric: true });
  expect(addresses).toEqual([...addresses].sort(numeric.compare));
  await many.getByRole("button", { name: "Next" }).click();
  await expect(many.getByTestId("target")).toHaveCount(rows - ROWS_A_PAGE);
  await expect(many.getByRole("img", { name: /p50 .* max/ })).toBeVisible();
});

test("its report has at most twelve printed pages", async ({ page }) => {
  const id = await investigated();
  await page.goto(`/i/${id}/report`);
  await page.getByTestId("report-kind").first().waitFor();
  await page.waitForLoadState("networkidle");
  const printed = (await page.pdf({ format: "A4", preferCSSPageSize: true })).toString("latin1");
  expect(printed.match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(PRINTED_PAGES_MOST);
});

test("findings of one kind stand together, the first of them open", async ({ page }) => {
  const id = await investigated();
  await page.goto(`/i/${id}/findings`);
  const kind = page.getByTestId("finding-kind").first();
  await expect(kind.getByTestId("finding")).toHaveCount(1);
  await kind.getByRole("button", { name: /Show \d+ more/ }).click();
  await expect(kind.getByTestId("finding")).toHaveCount(26);
});

for (const demo of ["snat-race", "ipvs-reuse", "rx-backlog", "imds-burst"]) {
  test(`what to do first about ${demo} has few words and a command that can be typed`, async ({ page }) => {
    const id = await analysedDemo(demo);
    const { diagnoses } = await api<Outline>(`/investigations/${id}/report/outline`);
    const first = diagnoses[0]?.do_now;
    await page.goto(`/i/${id}`);
    const shown = page.getByTestId("do-now").first();
    await expect(shown).toHaveAttribute("data-action", first?.action ?? "");
    expect((await page.getByTestId("do-now-what").first().innerText()).split(/\s+/).length).toBeLessThanOrEqual(WORDS_MOST);
    expect(first?.command ?? "").not.toMatch(/\b(HOST|NAME|NAMESPACE|INTERFACE|ADDRESS|PID)\b/);
    // Seconds are seconds: no figure is thousands of milliseconds.
    expect(await page.getByTestId("figures").first().innerText()).not.toMatch(/\d,\d{3} ms/);
  });
}

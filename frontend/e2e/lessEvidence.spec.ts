/** What is missing lowers the confidence and is asked for; what is expected is drawn with its tolerance. */
import { analysedDemo, api, demoFile, expect, post, test, untilAnalysed, type Made } from "./product";
import { linearCapture, SYNS_MS } from "./linearCapture";
import { lossMarks, open, type Mark } from "./timelinePage";

interface Guide extends Mark {
  value: number | null;
}

interface Report {
  diagnoses: { cause: string; verdict: string; missing: { command: string }[] }[];
}

test("without the counters the same capture is less sure, and the card asks for them", async ({ page }) => {
  const whole = await api<Report>(`/investigations/${await analysedDemo("snat-race")}/report`);
  expect(whole.diagnoses[0]?.verdict).toBe("confirmed");
  const { id } = await post<Made>("/investigations", { label: "without counters" });
  // Their rise and the kernel's own events are both independent signs: without them the capture stands alone.
  for (const name of ["three-interfaces.pcapng", "ip-link.txt", "iptables-save.txt"]) {
    await api(`/investigations/${id}/files/${name}`, { method: "PUT", body: new Uint8Array(demoFile("snat-race", name)) });
  }
  await untilAnalysed(id);
  const { diagnoses } = await api<Report>(`/investigations/${id}/report`);
  expect(diagnoses[0]?.cause).toBe(whole.diagnoses[0]?.cause);
  expect(["likely", "possible"]).toContain(diagnoses[0]?.verdict);
  await page.goto(`/i/${id}`);
  await expect(page.getByTestId("verdict").first()).toHaveText(/Likely|Possible/);
  await expect(page.getByTestId("diagnosis").first().locator('[data-section="5"]')).toContainText("conntrack -S");
});

test("a chosen instance shows when a retry was to be expected, each with its tolerance; Shift G hides them", async ({ page }) => {
  const id = await open(page);
  const [loss] = await lossMarks(id);
  const finding = String(loss?.finding);
  const { marks } = await api<{ marks: { glyph: string; instance: number | null; value: number | null; t: number; finding: string }[] }>(
    `/investigations/${id}/timeline?px=1200&finding=${encodeURIComponent(finding)}`,
  );
  const guides = marks.filter((mark) => mark.glyph === "guide" && mark.finding === finding && mark.instance === loss?.instance);
  expect(guides.length).toBeGreaterThan(0);
  for (const guide of guides) expect(guide.value ?? 0).toBeGreaterThan(0);
  const [from, to] = [(loss?.t ?? 0) - 100_000_000, Math.max(...guides.map((guide) => guide.t)) + 1_000_000_000];
  await open(page, `?w=${from}~${to - from}&sel=${finding}~${loss?.instance}`);
  await page.waitForLoadState("networkidle");
  const rows = async () => Number(await page.getByTestId("marks-table").getAttribute("aria-rowcount"));
  const withGuides = await rows();
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("Shift+G");
  await expect.poll(rows).toBe(withGuides - Math.min(guides.length, 8));
});

test("a linear schedule shows its guides 1, 2, 3, 4, 5 and 7 s after the SYN, each with its tolerance, and the retries lie in them", async ({ page }) => {
  const { id } = await post<Made>("/investigations", { label: "linear" });
  await api(`/investigations/${id}/files/linear.pcap`, { method: "PUT", body: new Uint8Array(linearCapture()) });
  await untilAnalysed(id);
  const { marks } = await api<{ marks: Guide[] }>(`/investigations/${id}/timeline?px=1200`);
  const guides = marks.filter((mark) => mark.glyph === "guide" && mark.instance === 1);
  const [finding] = guides.map((guide) => guide.finding);
  const first = marks.find((mark) => mark.glyph === "instant" && mark.finding === finding && mark.instance === 1)?.t ?? NaN;
  expect(guides.map((guide) => (guide.t - first) / 1e9)).toEqual([1, 2, 3, 4, 5, 7]);
  for (const ms of SYNS_MS.slice(1)) {
    expect(guides.some((guide) => Math.abs(first + ms * 1e6 - guide.t) <= (guide.value ?? 0) * 1e9)).toBe(true);
  }
  await page.goto(`/i/${id}/timeline?w=${first - 200_000_000}~7700000000&sel=${finding}~1`);
  await page.locator("[data-drawn]").waitFor();
  const rows = async () => Number(await page.getByTestId("marks-table").getAttribute("aria-rowcount"));
  const table = page.getByTestId("marks-table");
  await expect(table.getByRole("row").filter({ hasText: "expected time" }).first()).toContainText("1 s");
  const withGuides = await rows();
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("Shift+G");
  await expect.poll(rows).toBe(withGuides - guides.length);
});

/** What regions show when things are not as they should be, each brought about in the running product. */
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

import { ownDemo, api, demoFile, drop, expect, post, test, truth, type Made } from "./product";

/** A file of an investigation's analysis, on the server's disk. */
function analysisFile(id: string, name: string): string {
  const packets = path.join(process.env.STALLSCOPE_E2E_DATA ?? "", "packets");
  const folder = readdirSync(packets).find((each) => id.replaceAll("-", "").startsWith(each.replaceAll("-", "")) || each === id);
  if (!folder) throw new Error(`no folder of ${id} in ${packets}`);
  return path.join(packets, folder, "analysis", name);
}

test("an error of ours is named with its number, the rest of the page works, and trying again helps", async ({ page }) => {
  const id = await ownDemo("snat-race");
  const table = analysisFile(id, "paths.parquet");
  renameSync(table, `${table}.away`);
  writeFileSync(table, "no parquet");
  try {
    await page.goto(`/i/${id}/connections`);
    const failure = page.getByRole("alert").filter({ hasText: "could not be loaded" });
    await expect(failure).toContainText(/error [0-9a-f]{8}/, { timeout: 60_000 });
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await expect(page.getByTestId("claim")).toContainText(String(truth.delayed));
    await page.goBack();
    await failure.waitFor();
    renameSync(`${table}.away`, table);
    await failure.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByTestId("connections-total")).toHaveAttribute("data-total", String(truth.connections));
  } finally {
    if (readdirSync(path.dirname(table)).includes("paths.parquet.away")) renameSync(`${table}.away`, table);
  }
});

test("an analysis by older rules says so and can be done again; a filter that leaves nothing names the nearest", async ({ page }) => {
  const id = await ownDemo("snat-race");
  const stored = analysisFile(id, "report.json");
  const report = JSON.parse(readFileSync(stored, "utf8")) as { tool: { version: string } };
  const now = report.tool.version;
  writeFileSync(stored, JSON.stringify({ ...report, tool: { version: "0.0.1" } }));
  await page.goto(`/i/${id}`);
  await expect(page.getByTestId("stale")).toContainText(`Analyzed with rules 0.0.1, now ${now}`);
  await expect(page.getByTestId("claim")).toBeVisible(); // the old result stays
  await page.goto(`/i/${id}/connections?q=10.244.&outcome=refused`);
  await expect(page.getByTestId("empty-filter")).toContainText("connections match");
  await page.getByRole("button", { name: /^nearest: [\d,]+ match without outcome refused$/ }).click();
  await expect(page).not.toHaveURL(/outcome=/);
  await expect(page.getByTestId("connections-total")).not.toHaveAttribute("data-total", "0");
  const [{ client }] = (await api<{ items: [{ client: string }] }>(`/investigations/${id}/connections?limit=1`)).items;
  for (const [list, without] of [
    [`packets?q=${encodeURIComponent("tcp.flags.syn==1 && ip.dst == 192.0.2.1")}`, "ip.dst"],
    ["packets?q=ip.dst==192.0.2.1&w=0~1000000000", "ip.dst"],
    ["requests?q=no-such-thing&w=0~5000000000", "no-such-thing"],
    ["requests?as=list&q=no-such-thing&w=0~5000000000", "no-such-thing"],
    ["rtt?t=1&kinds=SYN&w=1~1000", "the window"],
    [`state?dump=conntrack-E.txt~0&rows=${client}:9`, "9"],
  ] as const) {
    await page.goto(`/i/${id}/${list}`);
    await page.getByRole("button", { name: new RegExp(`^nearest: [\\d,]+ match without ${without}$`) }).click();
    await expect(page.getByTestId("empty-filter"), list).toHaveCount(0);
    await expect(page.locator("[data-total]:not([data-total='0'])").first(), list).toBeVisible();
  }
  await page.getByTestId("stale").getByRole("button", { name: "re-run analysis" }).click();
  await expect(page.getByTestId("stale")).toHaveCount(0, { timeout: 60_000 });
});

test("while decoding goes on, the tab carries progress that never goes back, and regions say that they are partial", async ({ page }) => {
  await page.goto("/new");
  await page.getByTestId("demo-snat-race").click();
  await page.waitForURL(/\/i\//);
  const seen = new Set<string>();
  const percents: number[] = [];
  const claim = page.getByTestId("claim");
  let icon = "";
  while (!(await claim.isVisible())) {
    const shown = await page.evaluate(() => ({
      title: document.title, icon: document.querySelector<HTMLLinkElement>("link[rel=icon]")?.href ?? "",
      partial: document.querySelector("[data-testid=partial]")?.textContent ?? "",
    }));
    if (shown.partial) seen.add(shown.partial);
    if (shown.icon.startsWith("data:")) ({ icon } = shown);
    const percent = /^(\d+) %/.exec(shown.title)?.[1];
    if (percent) percents.push(Number(percent));
  }
  expect(percents.length).toBeGreaterThan(0);
  expect([...percents].sort((a, b) => a - b)).toEqual(percents);
  expect(icon).toContain("stroke-dasharray");
  expect([...seen].some((text) => /analysis running|decoded \d+ %/.test(text))).toBe(true);
  await expect(page).not.toHaveTitle(/%/);
  await expect(page.locator("link[rel=icon]")).toHaveAttribute("href", "/icon-loss.svg");
});

test("when the connection is lost a banner says so, uploads wait, and all goes on by itself", async ({ page, context }) => {
  const { id } = await post<Made>("/investigations", { label: "lost" });
  await page.route("**/uploads/**", async (route) => {
    // Slow enough to be cut off in the middle.
    await new Promise((resolve) => setTimeout(resolve, 800));
    await route.continue().catch(() => undefined);
  });
  await page.goto(`/i/${id}/files`);
  await page.getByRole("heading", { name: "Files" }).waitFor();
  await drop(page, [{ name: "three-interfaces.pcapng", bytes: demoFile("snat-race", "three-interfaces.pcapng") }]);
  await page.waitForRequest((request) => request.method() === "PATCH");
  await context.setOffline(true);
  await expect(page.getByTestId("connection-lost")).toBeVisible();
  await expect(page.locator("[data-testid=upload][data-status=waiting]")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Files" })).toBeVisible();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await context.setOffline(false);
  await expect(page.getByTestId("connection-lost")).toHaveCount(0);
  await expect(page).toHaveURL(new RegExp(`/i/${id}$`), { timeout: 60_000 });
  await page.goto(`/i/${id}/files`);
  await expect(page.locator("[data-testid=file][data-name='three-interfaces.pcapng']")).toHaveAttribute("data-status", "decoded");
});

/** Requests: shapes, the waterfall that adds up, one by one; nothing secret in page or answers. */
import { gunzipSync } from "node:zlib";

import truth from "./fixtures/imds-burst-truth.json" with { type: "json" };
import { analysedDemo, api, demoFile, expect, test } from "./product";

/** The credentials that pass in the capture, never to be seen again: their beginnings, so that a shortened one is found too, as text and as bytes. */
function secrets(): string[] {
  const text = gunzipSync(demoFile("imds-burst", "app-eth0.pcap.gz")).toString("latin1");
  const found = [...text.matchAll(/"(SecretAccessKey|Token)"\s*:\s*"([^"]{16,})"/g)];
  expect(new Set(found.map((match) => match[1]))).toEqual(new Set(["SecretAccessKey", "Token"]));
  const starts = new Set(found.map((match) => (match[2] ?? "").slice(0, 12)));
  return [...starts].flatMap((start) => {
    const hex = Buffer.from(start, "latin1").toString("hex");
    return [start, hex, hex.replace(/..(?=.)/g, "$& ")];
  });
}

test("segments and gap add up, the shape says 2 metadata calls, and no secret is shown or sent", async ({ page }) => {
  const hidden = secrets();
  const told: string[] = [];
  const answers: Promise<unknown>[] = [];
  page.on("response", (response) => {
    if (!response.url().includes("/api/")) return;
    // An answer that was called off has no text, and neither has a stream that is still open.
    if (response.headers()["content-type"]?.includes("json")) answers.push(response.text().then((text) => told.push(text), () => null));
  });
  const keep = async () => told.push(await page.content());
  const id = await analysedDemo("imds-burst");
  await page.goto(`/i/${id}/requests`);
  await expect(page.getByTestId("statement").locator("a[data-evidence]").first()).toBeVisible();
  await expect(page.getByTestId("statement")).toContainText("metadata calls cost most");
  const shape = page.getByTestId("shape").first();
  await expect(shape).toContainText(`${truth.expected_calls_per_request} metadata calls`);
  const served = await page.getByTestId("shape").filter({ hasText: "metadata call" }).evaluateAll((rows) => rows.reduce((sum, row) => sum + Number(row.getAttribute("data-count")), 0));
  expect(served).toBe(truth.requests_that_waited_for_credentials);

  const waterfall = page.getByTestId("waterfall");
  for (const which of ["fastest", "median", "slowest"]) {
    await page.getByRole("button", { name: which, exact: true }).click();
    await expect(waterfall).toContainText(which);
    const counted = await waterfall.getByTestId("segment").evaluateAll((rows) => rows.reduce((sum, row) => sum + Number(row.getAttribute("data-counted")), 0));
    const [total, gap] = [Number(await waterfall.getAttribute("data-total")), Number(await waterfall.getAttribute("data-gap"))];
    expect(total).toBeGreaterThan(1);
    expect(Math.abs(counted + gap - total)).toBeLessThanOrEqual(1);
    await expect(waterfall.locator('[data-kind="metadata"]')).toHaveCount(truth.expected_calls_per_request);
    await expect(waterfall.locator('[data-kind="metadata"] a[data-evidence]').first()).toBeVisible();
    await expect(waterfall.getByTestId("sum")).toContainText("+ gap");
    // In the slowest one the server let the request lie before it asked for credentials.
    if (which !== "slowest") await expect(page.getByTestId("cost")).toContainText(`${truth.expected_calls_per_request} metadata calls cost most`);
    await keep();
  }
  // The very frame that carried the credentials.
  const carrier = waterfall.locator('[data-kind="metadata"]').filter({ hasText: "••• removed on arrival" });
  await carrier.locator("a[data-evidence]").last().click();
  await expect(page.getByTestId("frame")).toBeVisible();
  await keep();
  // What the page did not ask for: every request, each one taken apart, and the report.
  const all = await api<{ items: { rid: number }[]; total: number }>(`/investigations/${id}/requests?limit=500`);
  expect(all.items).toHaveLength(all.total);
  const details = await Promise.all(all.items.map(({ rid }) => api(`/investigations/${id}/requests/${rid}`)));
  told.push(...[all, ...details, await api(`/investigations/${id}/report`)].map((answer) => JSON.stringify(answer)));
  await Promise.all(answers);
  for (const secret of hidden) expect(told.filter((text) => text.includes(secret))).toEqual([]);
  // The search itself would find something: names around the secrets are there.
  expect(told.filter((text) => text.includes("security-credentials")).length).toBeGreaterThan(4);
});

test("one by one: all are listed, the slowest first; a row opens its waterfall and leads to its frame", async ({ page }) => {
  const id = await analysedDemo("imds-burst");
  await page.goto(`/i/${id}/requests`);
  const total = await page.getByTestId("requests-count").getAttribute("data-total");
  await page.getByRole("button", { name: "One by one", exact: true }).click();
  await expect(page.getByTestId("requests-total")).toHaveAttribute("data-total", String(total));
  const table = page.getByRole("region", { name: /^Requests, .* scrollable$/ });
  await table.locator('[aria-rowindex="1"] a').first().click();
  await expect(page.getByTestId("waterfall").getByTestId("segment").first()).toBeVisible();
  await expect(page).toHaveURL(/rid=\d+/);
  await table.focus();
  await page.keyboard.press("End");
  await expect(table.locator(`[aria-rowindex="${total}"]`)).toBeVisible();
  // The truth file begins before the capture does.
  const { items } = await api<{ items: { time_ns: string }[] }>(`/investigations/${id}/packets?limit=1`);
  const begun_s = Number(items[0]?.time_ns) / 1e9;
  const probes = truth.requests.filter((request) => request.path === "/healthz" && request.t_in > begun_s).length;
  expect(probes).toBeGreaterThan(1);
  await page.getByLabel("Filter requests").fill("/healthz");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("requests-total")).toHaveAttribute("data-total", String(probes));
  await page.getByLabel("Filter requests").fill("no such thing");
  await page.keyboard.press("Enter");
  await page.getByTestId("empty-filter").getByRole("button", { name: "clear filter" }).click();
  await expect(page.getByTestId("requests-total")).toHaveAttribute("data-total", String(total));
  await page.getByTestId("waterfall").or(table).locator("a[data-evidence]").first().click();
  await expect(page.getByTestId("frame")).toBeVisible();
});

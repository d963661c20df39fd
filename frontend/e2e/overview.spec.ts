import { analysedDemo, api, expect, test, truth } from "./product";

interface Report {
  diagnoses: { statement: string; time_lost_s: number; claims: unknown[] }[];
  findings: { kind: string; count: number }[];
}

test("the claim is there at once, above every canvas", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}`);
  const claim = page.getByTestId("claim");
  await expect(claim).toBeVisible();
  const before = await claim.evaluate((element) =>
    [...document.querySelectorAll("canvas")].every(
      (canvas) => element.compareDocumentPosition(canvas) & Node.DOCUMENT_POSITION_FOLLOWING,
    ),
  );
  expect(before).toBe(true);
});

test("the claim holds the numbers of the truth file and of the API", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const report = await api<Report>(`/investigations/${id}/report`);
  await page.goto(`/i/${id}`);
  const claim = page.getByTestId("claim");
  await expect(claim).toContainText(`${truth.delayed} of ${truth.connections}`);
  await expect(claim).toHaveText(report.diagnoses[0]?.statement ?? "");
  const lost_s = Number(/([\d.]+) s/.exec(await page.getByTestId("figures").innerText())?.[1]);
  expect(Math.abs(lost_s - truth.time_lost_s)).toBeLessThan(0.1);
  expect(Math.abs((report.diagnoses[0]?.time_lost_s ?? 0) - truth.time_lost_s)).toBeLessThan(0.1);
  expect(report.findings.map((finding) => finding.count)).toContain(truth.delayed);
});

test("every claim links to evidence that opens at the frame or the line", async ({ page, request }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}`);
  await page.getByTestId("claim").waitFor();
  const claims = page.locator("[data-claim]");
  expect(await claims.count()).toBeGreaterThan(5);
  const unproved = await claims.evaluateAll(
    (elements) => elements.filter((element) => !element.querySelector("a[data-evidence]")).length,
  );
  expect(unproved).toBe(0);
  const links = await page
    .locator("[data-claim] a[data-evidence]")
    .evaluateAll((anchors) =>
      anchors.map((anchor) => [anchor.getAttribute("href") ?? "", anchor.getAttribute("data-evidence") ?? ""] as const),
    );
  for (const [href] of links) expect((await request.get(href)).status(), href).toBe(200);
  const frame = links.find(([, kind]) => kind === "frame")?.[0] ?? "";
  const line = links.find(([, kind]) => kind === "line")?.[0] ?? "";
  await page.goto(frame);
  const number = /%23f(\d+)/.exec(frame)?.[1];
  await expect(page.getByTestId("frame")).toHaveAttribute("data-frame", String(number));
  await expect(page.getByTestId("frame")).toBeInViewport();
  await page.goto(line);
  await expect(page.locator(".dump-line-cited").first()).toBeInViewport();
  await expect(page.locator(".dump-line-cited").first()).toHaveAttribute("data-line", /%23l(\d+)/.exec(line)?.[1] ?? "");
});

test("the card has its eight sections in order and something against it", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}`);
  const card = page.getByTestId("diagnosis").first();
  await card.waitFor();
  const numbers = await card
    .locator("[data-section]")
    .evaluateAll((sections) => sections.map((section) => section.getAttribute("data-section")));
  expect(numbers).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
  await expect(card.getByTestId("against")).not.toBeEmpty();
  const statuses = await card
    .getByTestId("rival")
    .evaluateAll((rivals) => rivals.map((rival) => rival.getAttribute("data-status") ?? ""));
  expect(statuses.length).toBeGreaterThan(0);
  for (const status of statuses) expect(["ruled-out", "possible", "cannot-tell"]).toContain(status);
});

test("the quality strip names the veths nobody captured and closes the account", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}`);
  const quality = page.getByTestId("quality");
  for (const veth of truth.not_captured) await expect(quality).toContainText(veth);
  await expect(quality).toContainText(`${truth.syn_retransmissions} lost SYNs = ${truth.delayed}`);
  await expect(quality).toContainText(`+${truth.insert_failed_delta} insert_failed`);
});

test("the demo with nothing to find says what was looked for", async ({ page }) => {
  const id = await analysedDemo("snat-race-healthy");
  await page.goto(`/i/${id}`);
  await expect(page.getByTestId("claim")).toContainText("Nothing was found");
  await expect(page.locator("[data-testid=checked][data-status=clear]").first()).toContainText("none");
  await expect(page.locator("main")).not.toContainText(/healthy/i);
  await expect(page.locator("main .glyph-loss")).toHaveCount(0);
});

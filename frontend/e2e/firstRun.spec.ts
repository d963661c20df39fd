import { api, expect, test } from "./product";

const TOP_CAUSE: Record<string, string | null> = {
  "snat-race": "snat-port-race",
  "ipvs-reuse": "ipvs-port-reuse",
  "rx-backlog": "receive-queue-stall",
  "imds-burst": "credential-refresh-storm",
  "snat-race-healthy": null,
};

test("every demonstration is named by its symptom and reaches its cause in two clicks", async ({ page }) => {
  const { items: demos } = await api<{ items: { name: string; symptom: string }[] }>("/demo");
  expect(demos.map((demo) => demo.name)).toEqual(Object.keys(TOP_CAUSE));
  for (const { name, symptom } of demos) {
    await page.goto("/new");
    const door = page.getByTestId(`demo-${name}`);
    await expect(door).toContainText(symptom.replace(/\.$/, ""));
    await door.click();
    await expect(page.getByTestId("claim")).toBeVisible({ timeout: 60_000 });
    const cause = TOP_CAUSE[name];
    if (cause) await expect(page.getByTestId("diagnosis").first()).toHaveAttribute("data-cause", cause);
    else await expect(page.getByTestId("diagnosis")).toHaveCount(0);
  }
  await page.goto("/");
  const rows = page.getByTestId("investigation");
  await page.getByLabel("Search title and verdict").fill("dropped the SYN");
  await expect(page).toHaveURL(/q=dropped/);
  await expect(rows.filter({ hasText: "SNAT" }).first()).toContainText("in a browser");
  await expect(rows.filter({ hasText: "nothing found" })).toHaveCount(0);
  await page.getByLabel("Found").selectOption("metadata-burst");
  await expect(page.getByTestId("empty-filter")).toContainText("No investigation matches “dropped the SYN”, metadata-burst.");
  await page.getByRole("button", { name: "clear filter" }).click();
  await page.getByLabel("Found").selectOption("metadata-burst");
  await expect(rows.filter({ hasText: "SNAT" })).toHaveCount(0);
  await expect(rows.first()).toBeVisible();
});

test("pasted counters are recognised with their line count", async ({ page }) => {
  const pasted =
    "cpu=0   \tfound=5 invalid=0 insert=0 insert_failed=3 drop=3 early_drop=0 error=0 search_restart=0\n" +
    "cpu=1   \tfound=7 invalid=0 insert=0 insert_failed=4 drop=4 early_drop=0 error=0 search_restart=0\n";
  await page.goto("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, pasted);
  const recognition = page.getByTestId("recognition");
  await expect(recognition).toContainText(/conntrack/);
  await expect(recognition).toContainText("2 lines");
});

test("five questions make one script, and a wrong answer says what is wrong", async ({ page }) => {
  await page.goto("/capture");
  const script = page.getByTestId("collector");
  await expect(script).toContainText("FILTER:=tcp or icmp");
  await page.getByLabel("Symptom").selectOption("dns");
  await page.getByLabel("An affected pod").fill("10.244.1.7");
  await expect(script).toContainText("FILTER:=port 53");
  await expect(script).toContainText("POD_IP:=10.244.1.7");
  await page.getByLabel("Where can you run a shell?").selectOption("daemonset");
  await expect(script).toContainText("kind: DaemonSet");
  await page.getByLabel("Seconds to capture").fill("0");
  await expect(page.getByRole("alert")).toContainText("between 1 s and 24 h");
});

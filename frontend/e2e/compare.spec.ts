/** Two investigations side by side, the runs of a pipeline, and what a new token is for: pass, fail and not finished are words. */
import { readFileSync } from "node:fs";
import path from "node:path";

import { api, demoFile, expect, post, serverUrl, test, untilAnalysed, type Made } from "./product";

const LABEL = "nightly checkout";
const SNIPPETS = path.resolve(import.meta.dirname, "../../docs/ci");

/** As a pipeline brings them: a demonstration is nobody's run. */
async function run(demo: string, files: string[]): Promise<string> {
  const { id } = await post<Made>("/investigations", { label: LABEL });
  for (const name of files) {
    const answer = await fetch(`${serverUrl()}/api/v1/investigations/${id}/files/${name}`, { method: "PUT", body: new Uint8Array(demoFile(demo, name)) });
    expect(answer.status).toBe(201);
  }
  await untilAnalysed(id);
  return id;
}

const COUNTERS = ["conntrack-S-before.txt", "conntrack-S-after.txt"];

test("an incident against its healthy twin fails, the other way round passes, and the runs say so", async ({ page }) => {
  const healthy = await run("snat-race-healthy", ["any.pcap", ...COUNTERS]);
  const incident = await run("snat-race", ["three-interfaces.pcapng", ...COUNTERS]);

  await page.goto("/");
  await page.getByTestId("investigation").filter({ has: page.locator(`a[href="/i/${incident}"]`) }).getByRole("link", { name: /^Compare/ }).click();
  await expect(page).toHaveURL(new RegExp(`/compare\\?b=${incident}$`));
  await page.getByLabel("Base (before)").selectOption(healthy);
  await expect(page.getByTestId("gate")).toHaveText("✖ fail");
  const made = (await api<{ items: { id: string }[] }>(`/investigations/${incident}/comparisons`)).items;
  const kept = await api<{ statement: string; findings: { state: string; title: string }[]; waits: unknown[]; counters: { name: string }[] }>(
    `/investigations/${incident}/comparisons/${made[0]?.id}`,
  );
  await expect(page.getByTestId("comparison-statement")).toHaveText(kept.statement);
  await expect(page.getByTestId("finding-change")).toHaveCount(kept.findings.length);
  await expect(page.getByTestId("wait-change")).toHaveCount(kept.waits.length);
  expect(kept.counters.map((each) => each.name)).toContain("insert_failed");
  await expect(page.getByTestId("counter-pair").locator("th")).toHaveText(kept.counters.map((each) => each.name));
  await page.getByText("Distribution of Round-trip time").click();
  await expect(page.getByRole("img", { name: /^Round-trip time: cumulative share of samples/ })).toBeVisible();
  const fresh = page.getByTestId("compare-state").filter({ has: page.getByRole("heading", { name: /^New/ }) });
  await expect(fresh.getByTestId("finding-change")).toHaveCount(kept.findings.filter((each) => each.state === "new").length);

  // A frame that proves a new finding opens on the finding's own page.
  const frame = fresh.locator('[data-evidence="frame"]').first();
  await expect(frame).toHaveAttribute("href", new RegExp(`^/i/${incident}/findings/`));
  await frame.click();
  await expect(page.locator(".side-panel")).toBeVisible();
  await page.goBack();

  await page.getByRole("button", { name: "Swap" }).click();
  await expect(page.getByTestId("gate")).toHaveText("✔ pass");
  await expect(page.getByTestId("compare-state").getByRole("heading", { name: /^Gone/ })).toBeVisible();
  // Looking again makes no second one.
  await page.reload();
  await expect(page.getByTestId("gate")).toHaveText("✔ pass");
  expect((await api<{ items: unknown[] }>(`/investigations/${healthy}/comparisons`)).items).toHaveLength(1);

  const bare = await post<Made>("/investigations", { label: LABEL });
  await page.goto(`/compare?a=${healthy}&b=${bare.id}`);
  await expect(page.getByTestId("gate")).toHaveText("… not finished");

  const runs: [string, string][] = [[incident, "✖ fail"], [healthy, "✔ pass"], [bare.id, "… not finished"]];
  await page.goto("/ci");
  const nightly = page.getByTestId("run-label").filter({ has: page.getByRole("heading", { name: new RegExp(`^${LABEL}`) }) });
  const row = (id: string) => nightly.getByTestId("run").filter({ has: page.locator(`th a[href^="/i/${id}"]`) });
  for (const [id, word] of runs) await expect(row(id).getByTestId("gate")).toHaveText(word);
  await expect(nightly.getByTestId("trend")).toContainText("time lost");
  await row(incident).getByRole("link", { name: "its baseline" }).click();
  await expect(page.getByTestId("comparison-statement")).toBeVisible();

  await test.step("a run's page says what is new since its baseline", async () => {
    await page.goBack();
    await row(incident).locator("th a").click();
    await expect(page).toHaveURL(new RegExp(`/i/${incident}\\?baseline=${healthy}$`));
    const since = page.getByTestId("since-baseline");
    await expect(since).toContainText(kept.statement);
    await expect(since.getByTestId("gate")).toHaveText("✖ fail");
    await expect(since).toContainText(`New since run ${healthy.slice(0, 8)} (${LABEL}, pass, `);
    await since.getByRole("link", { name: "Compare both" }).click();
    await expect(page).toHaveURL(new RegExp(`/compare\\?a=${healthy}&b=${incident}$`));
  });

  await test.step("a token is shown once, with what to put into a pipeline", async () => {
    await page.goto("/ci");
    await page.getByLabel("Name", { exact: true }).fill("by the spec");
    await page.getByRole("button", { name: "Create token" }).click();
    const token = await page.getByTestId("once-shown").getByRole("textbox").inputValue();
    const snippets = page.getByTestId("snippets");
    await expect(snippets).toContainText(`STALLSCOPE_URL=${serverUrl()}`);
    await expect(snippets).toContainText(`STALLSCOPE_TOKEN=${token}`);
    for (const [system, file] of [["GitLab CI", "gitlab-ci.yml"], ["Jenkins", "Jenkinsfile"], ["curl", "curl.sh"], ["GitHub Actions", "github-actions.yml"]] as const) {
      await snippets.getByLabel("Your pipeline").selectOption(system);
      expect(await snippets.locator("pre").nth(1).textContent()).toBe(readFileSync(path.join(SNIPPETS, file), "utf8"));
    }
    await page.reload();
    await expect(page.getByRole("button", { name: "Revoke by the spec" })).toBeVisible();
    await expect(page.getByTestId("snippets")).toHaveCount(0);
    expect(await page.content()).not.toContain(token);
    await page.getByRole("button", { name: "Revoke by the spec" }).click();
    await expect(page.getByRole("button", { name: "Revoke by the spec" })).toHaveCount(0);
  });
  for (const [id] of runs) await api(`/investigations/${id}`, { method: "DELETE" });
});

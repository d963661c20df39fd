/** Two investigations side by side, and the runs of a pipeline: pass, fail and not finished are words. */
import { analysedDemo, api, expect, post, test, type Made } from "./product";

const LABEL = "nightly checkout";

test("an incident against its healthy twin fails, the other way round passes, and the runs say so", async ({ page }) => {
  const healthy = await analysedDemo("snat-race-healthy");
  const incident = await analysedDemo("snat-race");

  await page.goto("/");
  await page.getByTestId("investigation").filter({ has: page.locator(`a[href="/i/${incident}"]`) }).getByRole("link", { name: /^Compare/ }).click();
  await expect(page).toHaveURL(new RegExp(`/compare\\?b=${incident}$`));
  await page.getByLabel("Base (before)").selectOption(healthy);
  await expect(page.getByTestId("gate")).toHaveText("✖ fail");
  const made = (await api<{ items: { id: string }[] }>(`/investigations/${incident}/comparisons`)).items;
  const kept = await api<{ statement: string; findings: { state: string; title: string }[]; waits: unknown[] }>(
    `/investigations/${incident}/comparisons/${made[0]?.id}`,
  );
  await expect(page.getByTestId("comparison-statement")).toHaveText(kept.statement);
  await expect(page.getByTestId("finding-change")).toHaveCount(kept.findings.length);
  await expect(page.getByTestId("wait-change")).toHaveCount(kept.waits.length);
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
  const labels: { id: string; label: string }[] = [];
  for (const [id] of runs) {
    labels.push({ id, label: (await api<{ label: string }>(`/investigations/${id}`)).label });
    await rename(id, LABEL);
  }
  await page.goto("/ci");
  const nightly = page.getByTestId("run-label").filter({ has: page.getByRole("heading", { name: new RegExp(`^${LABEL}`) }) });
  for (const [id, word] of runs) {
    const row = nightly.getByTestId("run").filter({ has: page.locator(`a[href="/i/${id}"]`) });
    await expect(row.getByTestId("gate")).toHaveText(word);
  }
  await expect(nightly.getByTestId("trend")).toContainText("time lost");
  await nightly.getByRole("link", { name: "its baseline" }).first().click();
  await expect(page.getByTestId("comparison-statement")).toBeVisible();
  // The specs share one server: each finds the demonstrations under their own names.
  for (const { id, label } of labels) await rename(id, label);
  await api(`/investigations/${bare.id}`, { method: "DELETE" });
});

function rename(id: string, label: string): Promise<unknown> {
  return api(`/investigations/${id}`, { method: "PATCH", headers: { "content-type": "application/json" }, body: JSON.stringify({ label }) });
}

/** Notes by people: written with the keyboard and the pointer, drawn, listed, taken back; and disagreement. */
import { readFileSync } from "node:fs";

import { api, expect, post, test, untilAnalysed, type Made } from "./product";
import { lanesBox } from "./timelinePage";

interface Stored {
  kind: string;
  text: string;
  author: string;
  from: number | null;
  to: number | null;
}

// An investigation of its own: notes would change the pictures that other specs compare.
test("notes and disagreement are stored, shown on every page, and taken back", async ({ page }) => {
  const { id } = await post<Made>("/demo", { name: "snat-race" });
  await untilAnalysed(id);
  const stored = async () => (await api<{ items: Stored[] }>(`/investigations/${id}/notes`)).items;
  const form = page.getByTestId("note-form");
  await page.goto(`/i/${id}/timeline`);
  await page.locator("[data-drawn]").waitFor();

  const box = await lanesBox(page);
  await page.mouse.move(box.x + box.width * 0.3, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 30);
  await page.mouse.move(box.x + box.width * 0.5, box.y + 30);
  await page.mouse.up();
  await page.getByTestId("selection-bar").getByRole("button", { name: "Add note" }).click();
  await form.getByLabel("Note").fill("The switch <b>was</b> replaced");
  await form.getByLabel("Your name (optional)").fill("Ann");
  await form.getByRole("button", { name: "Store" }).click();
  const rows = page.getByTestId("notes-table").locator("tbody tr");
  await expect(rows).toHaveCount(1);
  await expect(page.getByRole("tab", { name: "Notes 1" })).toHaveAttribute("aria-selected", "true");
  await expect(rows.first()).toContainText("The switch <b>was</b> replaced");
  const [first] = await stored();
  expect(first).toMatchObject({ kind: "note", author: "Ann" });
  expect(first?.to ?? 0).toBeGreaterThan(first?.from ?? Infinity);

  const chart = page.getByTestId("timeline");
  await chart.focus();
  await page.keyboard.press("n");
  await expect(form.getByLabel("Note")).toBeFocused();
  await page.keyboard.type("Seen by keyboard");
  await form.getByRole("button", { name: "Store" }).click();
  await expect(rows).toHaveCount(2);
  await expect(form).toBeHidden();

  await page.goto(`/i/${id}/timeline?w=0~1000&tab=notes`);
  await expect(page.locator("[data-drawn='0~1000']")).toBeVisible();
  await rows.first().getByRole("button", { name: "Jump" }).click();
  await expect(page.locator("[data-drawn='0~1000']")).toHaveCount(0);
  await page.getByRole("tab", { name: /^Marks/ }).click();
  await expect(page.getByTestId("marks-table").locator("[data-mark]", { hasText: "Ann: The switch" })).toHaveCount(1);
  await page.getByRole("tab", { name: /^Notes/ }).click();
  await rows.nth(1).getByRole("button", { name: "Delete" }).click();
  await expect(rows).toHaveCount(1);

  await page.goto(`/i/${id}`);
  const claim = await page.getByTestId("claim").innerText();
  const dispute = page.getByTestId("dispute").first();
  const steps = await page.getByTestId("diagnosis").first().locator("[data-claim]").count();
  await dispute.getByRole("button", { name: "Reject diagnosis" }).click();
  await form.getByLabel("Reason").fill("We changed the rule that day");
  await form.getByLabel("Your name (optional)").fill("Bob");
  await form.getByRole("button", { name: "Store" }).click();
  await expect(dispute).toContainText(/Bob, .*, rejects the diagnosis: We changed the rule that day/);
  await expect(page.getByTestId("disputable").first()).toHaveAttribute("data-disputed", "true");
  await expect(page.getByTestId("claim").locator("s")).toHaveText(claim);
  await expect(page.getByTestId("verdict-disputed")).toContainText(/Bob, .*, rejects the diagnosis: We changed the rule that day/);
  expect(await page.getByTestId("diagnosis").first().locator("[data-claim]").count()).toBe(steps);

  await page.goto(`/i/${id}/report`);
  await expect(page.getByTestId("report").locator("h2 s")).toHaveCount(1);
  await expect(page.getByTestId("dispute").first()).toContainText("Bob,");
  await expect(page.getByTestId("notes-table").locator("tbody tr")).toHaveCount(2);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Markdown" }).click()]);
  const text = readFileSync(await saved.path(), "utf8");
  expect(text).toMatch(/~~\*\*.+\*\*~~\n\n> Bob, .+, rejects the diagnosis: We changed the rule that day/);
  expect(text).toContain("The switch \\<b\\>was\\</b\\> replaced");
  const { notes } = await api<{ notes: { kind: string; author: string; diagnosis: string }[] }>(`/investigations/${id}/report`);
  expect(notes.map(({ kind, author }) => [kind, author])).toEqual([["note", "Ann"], ["disagreement", "Bob"]]);
  await page.emulateMedia({ media: "print" });
  await expect(page.getByTestId("report").locator("h2 s")).toBeVisible();
  await expect(page.getByTestId("notes-table")).toContainText("Ann");
  await page.emulateMedia({ media: "screen" });
  await page.getByTestId("dispute").first().getByRole("button", { name: "Undo" }).click();
  await expect(page.getByTestId("report").locator("h2 s")).toHaveCount(0);
  await expect(page.getByTestId("notes-table").locator("tbody tr")).toHaveCount(1);
  expect(await stored()).toEqual([first]);
});

/** What every person needs of every page: axe finds nothing serious, the keyboard gets everywhere and out again, nothing is cut off. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type { Page } from "@playwright/test";

import { ownDemo, api, expect, test } from "./product";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  id: string;
  impact: string | null;
  nodes: { target: string[]; failureSummary: string }[];
}

/** Serious and critical ones, one line each; `rules` narrows what is looked at. */
async function violations(page: Page, rules: string[] | null): Promise<string[]> {
  const found = await page.evaluate(async (only) => {
    const { axe } = window as unknown as { axe: { run: (node: Document, options: unknown) => Promise<{ violations: Violation[] }> } };
    const runOnly = only ? { type: "rule", values: only } : { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
    return (await axe.run(document, { runOnly, resultTypes: ["violations"], preload: false })).violations;
  }, rules);
  return found
    .filter((each) => each.impact === "serious" || each.impact === "critical")
    .flatMap((each) => each.nodes.slice(0, 4).map((node) => `${each.id}: ${node.target.join(" ")} – ${node.failureSummary.split("\n")[1]?.trim() ?? ""}`));
}

async function settled(page: Page): Promise<void> {
  await expect(page.locator("main h1").first(), page.url()).toBeVisible({ timeout: 60_000 });
  await expect(page.locator("main [aria-busy=true]")).toHaveCount(0);
}

async function routes(page: Page, id: string): Promise<string[]> {
  const report = await api<{ findings: { id: string }[] }>(`/investigations/${id}/report`);
  const { items } = await api<{ items: { cid: number }[] }>(`/investigations/${id}/connections?sort=connect_ms&order=desc&limit=1`);
  const rules = await api<{ items: { kind: string }[] }>("/detectors");
  const tabs = await page.locator("nav.tabs a").evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  const inside = ["timeline?t=1&w=0~600000000", `findings/${report.findings[0]?.id}`, `connections/${items[0]?.cid}`].map((path) => `/i/${id}/${path}`);
  return ["/", "/new", "/capture", "/settings", "/ci", "/detectors", `/detectors/${rules.items[0]?.kind}`, ...tabs, ...inside, ...(await waits()), await compared(id)];
}

/** Two sides with findings, waits and counters; the second is there for the waits, too. */
async function compared(id: string): Promise<string> {
  return `/compare?a=${await ownDemo("imds-burst")}&b=${id}`;
}

/** Round trips and requests of the demonstrations that are full of them: with a group chosen, by shape, one taken apart. */
async function waits(): Promise<string[]> {
  const held = `/i/${await ownDemo("rx-backlog")}/rtt`;
  const groups = (await api<{ items: { finding: string; instance: number }[] }>(`${held.replace("/i/", "/investigations/")}/groups`)).items;
  const asked = `/i/${await ownDemo("imds-burst")}/requests`;
  const requests = (await api<{ items: { rid: number }[] }>(`${asked.replace("/i/", "/investigations/")}?limit=1`)).items;
  return [`${held}?sel=${groups[0]?.finding}~${groups[0]?.instance}`, asked, `${asked}?as=list&rid=${requests[0]?.rid}`];
}

test("axe finds nothing serious on any page, light and dark", async ({ page }) => {
  test.setTimeout(180_000);
  const id = await ownDemo("snat-race");
  const wrong: string[] = [];
  await page.goto(`/i/${id}`);
  await settled(page);
  const all = await routes(page, id);
  expect(all.length).toBeGreaterThan(15);
  expect(all).toEqual(expect.arrayContaining([`/i/${id}/rtt`, `/i/${id}/requests`]));
  for (const route of all) {
    await page.goto(route);
    await settled(page);
    if (route.startsWith("/compare")) await expect(page.getByTestId("comparison-statement")).toBeVisible();
    if (/[?&](sel|rid)=/.test(route)) {
      await expect(page.locator("main .panel").first()).toBeVisible();
      await settled(page);
    }
    await page.evaluate(AXE);
    const told = (theme: string) => (line: string) => `${route.replace(id, ":id")} ${theme} ${line}`;
    wrong.push(...(await violations(page, null)).map(told("light")));
    // Only colours differ between the themes.
    await page.evaluate(() => document.documentElement.setAttribute("data-mantine-color-scheme", "dark"));
    wrong.push(...(await violations(page, ["color-contrast", "link-in-text-block"])).map(told("dark")));
  }
  expect(wrong).toEqual([]);
});

async function widerThanScreen(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    if (document.documentElement.scrollWidth <= window.innerWidth) return [];
    const inScroller = (element: Element): boolean => {
      for (let at = element.parentElement; at; at = at.parentElement) if (/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowX)) return true;
      return false;
    };
    return [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > window.innerWidth + 1 && !inScroller(element))
      .slice(0, 3).map((element) => `${element.tagName.toLowerCase()}.${element.className} “${element.textContent?.slice(0, 40)}” in ${element.parentElement?.className} to ${Math.round(element.getBoundingClientRect().right)}`);
  });
}

test("nothing is wider than the screen at 1024 px, at 200 % zoom and on a phone", async ({ page }) => {
  const id = await ownDemo("snat-race");
  const report = await api<{ findings: { id: string }[] }>(`/investigations/${id}/report`);
  const wrong: string[] = [];
  for (const path of ["", `/findings/${report.findings[0]?.id}`, "/report"]) {
    await page.goto(`/i/${id}${path}`);
    await settled(page);
    // 720 px is what 1440 px are at 200 %.
    for (const width of [1024, 720, 390]) {
      await page.setViewportSize({ width, height: 800 });
      wrong.push(...(await widerThanScreen(page)).map((line) => `${path} at ${width}: ${line}`));
    }
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
  }
  // The rest is for screens of a desk.
  await page.setViewportSize({ width: 1024, height: 800 });
  for (const path of ["/timeline", "/connections", "/rtt", "/requests", "/state", "/packets", "/files"]) {
    await page.goto(`/i/${id}${path}`);
    await settled(page);
    wrong.push(...(await widerThanScreen(page)).map((line) => `${path} at 1024: ${line}`));
  }
  expect(wrong).toEqual([]);
});

test("Tab goes through the timeline and out of the chart again", async ({ page }) => {
  const id = await ownDemo("snat-race");
  await page.goto(`/i/${id}/timeline`);
  await page.locator("[data-drawn]").waitFor();
  const here = () => page.evaluate(() => document.activeElement?.closest("[data-testid]")?.getAttribute("data-testid") ?? document.activeElement?.tagName);
  const places: (string | undefined)[] = [];
  await page.getByTestId("timeline").focus();
  for (let step = 0; step < 8; step += 1) {
    await page.keyboard.press("Tab");
    places.push(await here());
  }
  expect(places.at(-1)).not.toBe("timeline");
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("timeline")).not.toBeFocused();
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("omnibox")).toHaveCount(0);
});

test("without motion nothing moves, and with colours of the system's choice shapes stay visible", async ({ page }) => {
  const id = await ownDemo("snat-race");
  await page.emulateMedia({ reducedMotion: "reduce", forcedColors: "active" });
  await page.goto(`/i/${id}`);
  await settled(page);
  const moving = await page.evaluate(() => document.getAnimations().filter((each) => each.playState === "running").length);
  expect(moving).toBe(0);
  const glyph = page.locator("main .glyph").first();
  const ink = await page.evaluate(() => getComputedStyle(document.body).color);
  expect(await glyph.evaluate((element) => getComputedStyle(element).color)).toBe(ink);
});

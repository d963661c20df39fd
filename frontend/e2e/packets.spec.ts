/** All packets: filters, cells, places, single frames and captures carved out; each against the API, or tshark itself. */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import type { Page } from "@playwright/test";

import { analysedDemo, api, DEMOS, expect, test } from "./product";

interface Part {
  items: { input: string; frame: number; t: number; source: string }[];
  total: number;
}

const CAPTURE = path.join(DEMOS, "snat-race", "three-interfaces.pcapng");
const packets = (id: string, query: string) => api<Part>(`/investigations/${id}/packets?${query}`);
const filtered = (id: string, filter: string) => packets(id, `offset=0&limit=1&filter=${encodeURIComponent(filter)}`);
const field = (page: Page) => page.getByRole("combobox", { name: "Filter" });
const scroller = (page: Page) => page.getByRole("region", { name: /^Packets, .* scrollable$/ });

function hasTshark(): boolean {
  try {
    execFileSync("tshark", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const tshark = (file: string, filter: string): number[] =>
  execFileSync("tshark", ["-n", "-r", file, "-Y", filter, "-T", "fields", "-e", "frame.number"], { stdio: ["ignore", "pipe", "ignore"] })
    .toString().split("\n").filter(Boolean).map(Number);

async function filterBy(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
}

async function shows(page: Page, total: number): Promise<void> {
  await expect(page.getByTestId("packets-total")).toHaveAttribute("data-total", String(total), { timeout: 60_000 });
}

async function download(page: Page, button: ReturnType<Page["getByTestId"]>): Promise<string> {
  const [given] = await Promise.all([page.waitForEvent("download"), button.click()]);
  const file = path.join(mkdtempSync(path.join(tmpdir(), "carved-")), "carved.pcapng");
  await given.saveAs(file);
  return file;
}

const countIn = (file: string): number => Number(/Number of packets:\s+(\d+)/.exec(execFileSync("capinfos", ["-cM", file]).toString())?.[1]);

test("the last packet is reached by the End key, by the scrollbar and by Ctrl G, with few rows in the document", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const { total } = await packets(id, "offset=0&limit=1");
  const { items } = await packets(id, `offset=${total - 1}&limit=1`);
  await page.goto(`/i/${id}/packets`);
  await shows(page, total);
  const last = scroller(page).locator(`[aria-rowindex="${total}"]`);
  await scroller(page).focus();
  await page.keyboard.press("End");
  await expect(last).toContainText(`#${items[0]?.frame}`);
  expect(await scroller(page).getByRole("row").count()).toBeLessThan(150);
  await page.keyboard.press("Home");
  await expect(last).toHaveCount(0);
  const rail = page.getByRole("scrollbar", { name: "Packets: scrollbar" });
  const box = await rail.boundingBox();
  if (!box) throw new Error("no scrollbar");
  await page.mouse.move(box.x + 7, box.y + 6);
  await page.mouse.down();
  await page.mouse.move(box.x + 7, box.y + box.height + 40, { steps: 4 });
  await page.mouse.up();
  await expect(last).toBeVisible();
  await expect(page.getByTestId("rail-mark").first()).toBeAttached();
  await page.keyboard.press("Control+g");
  await expect(page.getByLabel("Go to frame, time or row")).toBeFocused();
  await page.keyboard.type(`#${(await packets(id, "offset=7000&limit=1")).items[0]?.frame}`);
  await page.keyboard.press("Enter");
  await expect(scroller(page).locator('[aria-rowindex="7001"].big-row-at')).toBeVisible();
});

test("a filter gives what the API gives, offers what may come next, and a mistake is marked while the rows stay", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const wanted = "tcp.flags.syn==1 && finding==A";
  const { total } = await filtered(id, wanted);
  expect(total).toBeGreaterThan(0);
  await page.goto(`/i/${id}/packets`);
  await filterBy(page, wanted);
  await shows(page, total);
  await filterBy(page, "tcp.flag.syn == 1");
  await expect(page.getByRole("alert").locator("mark")).toHaveText("tcp.flag.syn");
  await shows(page, total);
  await page.getByRole("alert").getByRole("button", { name: "tcp.flags.syn" }).click();
  await shows(page, (await filtered(id, "tcp.flags.syn == 1")).total);
  await field(page).fill("tcp.port == ");
  const eighty = page.getByRole("option").first();
  await expect(eighty).toContainText((await filtered(id, "tcp.port == 80")).total.toLocaleString("en-US"));
  await eighty.click();
  await page.keyboard.press("Enter");
  await shows(page, (await filtered(id, "tcp.port == 80")).total);
});

test("a cell narrows the list, by keys and by the mouse", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}/packets?q=${encodeURIComponent("tcp.flags.syn == 1 && tcp.flags.ack == 0")}`);
  const { total } = await filtered(id, "tcp.flags.syn == 1 && tcp.flags.ack == 0");
  await shows(page, total);
  await scroller(page).focus();
  await page.keyboard.press("Enter");
  for (let step = 0; step < 4; step += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Only this" }).click();
  await expect(field(page)).toHaveValue(/ip\.src == [\d.]+ && tcp\.srcport == \d+$/);
  const narrow = await field(page).inputValue();
  await shows(page, (await filtered(id, narrow)).total);
  await page.goBack();
  await shows(page, total);
  await scroller(page).locator('[data-cell="2:3"]').click({ button: "right" });
  await page.getByRole("menuitem", { name: "Not this" }).click();
  await expect(field(page)).toHaveValue(/!\(lane == ".+"\)$/);
  await shows(page, (await filtered(id, await field(page).inputValue())).total);
});

test("a frame of the evidence is found in the list, and is taken apart with its bytes", async ({ page }) => {
  const id = await analysedDemo("snat-race");
  const { items } = await packets(id, "offset=9000&limit=1");
  const [one] = items;
  await page.goto(`/i/${id}/packets?evidence=${encodeURIComponent(`${one?.input}#f${one?.frame}`)}`);
  await expect(page.locator('[aria-rowindex="9001"]')).toContainText(`#${one?.frame}`);
  await expect(page.getByTestId("frame")).toHaveAttribute("data-frame", String(one?.frame));
  const tree = page.getByTestId("protocol-tree");
  await expect(tree).toContainText(/Internet Protocol|IP/, { timeout: 60_000 });
  const marked = page.getByTestId("hex").locator(".hex-bytes .hex-at");
  await tree.getByRole("button", { name: /Transmission Control|TCP/ }).first().hover();
  await expect(marked.first()).toBeVisible();
  await page.getByTestId("hex").locator('[data-byte="0"]').hover();
  await expect(tree.locator(".tree-field-at").first()).toBeVisible();
  await page.locator('[aria-rowindex="9002"] a[data-evidence]').first().click();
  await expect(page.getByTestId("frame")).not.toHaveAttribute("data-frame", String(one?.frame));
});

test("what only Wireshark knows is run with tshark, and says where it is wrong", async ({ page }) => {
  test.skip(!hasTshark(), "tshark is not installed");
  const id = await analysedDemo("snat-race");
  const text = 'tcp.payload contains "GET /r0"';
  await page.goto(`/i/${id}/packets`);
  await filterBy(page, text);
  await page.getByTestId("run-tshark").click();
  await shows(page, tshark(CAPTURE, text).length);
  await expect(page).toHaveURL(/deep=1/);
  await filterBy(page, "ip.nope == 1");
  await page.getByTestId("run-tshark").click();
  await expect(page.getByRole("alert").locator("mark")).toHaveText("ip.nope", { timeout: 60_000 });
});

test("carved captures hold as many packets as their buttons say, and copied filters find them", async ({ page, context }) => {
  test.skip(!hasTshark(), "tshark is not installed");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}/packets?q=${encodeURIComponent("tcp.flags.syn == 1 && lane == cni0")}`);
  const { total } = await filtered(id, "tcp.flags.syn == 1 && lane == cni0");
  const button = page.getByTestId("carve");
  await expect(button).toHaveAttribute("data-packets", String(total));
  expect(countIn(await download(page, button))).toBe(total);
  const other = await download(page, page.getByTestId("carve-anonymised"));
  expect(countIn(other)).toBe(total);
  const [first] = (await packets(id, "offset=0&limit=1")).items;
  expect(tshark(other, `ip.addr == ${first?.source.split(":")[0]}`)).toEqual([]);
  const { items } = await api<{ items: { id: string; evidence: { input: string; frames: number[] }[] }[] }>(`/investigations/${id}/findings`);
  let copied = 0;
  for (const finding of items) {
    await page.goto(`/i/${id}/findings/${finding.id}`);
    const evidence = page.getByTestId("finding-evidence");
    const carve = evidence.getByTestId("carve").first();
    expect(countIn(await download(page, carve))).toBe(Number(await carve.getAttribute("data-packets")));
    const frames = [...new Set(finding.evidence.filter((part) => part.input.endsWith(".pcapng")).flatMap((part) => part.frames))].sort((a, b) => a - b);
    const copy = evidence.getByRole("button", { name: "Copy Wireshark filter" });
    if (frames.length === 0 || (await copy.count()) === 0) continue;
    await copy.first().click();
    expect(tshark(CAPTURE, await page.evaluate(() => navigator.clipboard.readText()))).toEqual(frames);
    copied += 1;
  }
  expect(copied).toBeGreaterThan(0);
  await page.goto(`/i/${id}/findings/${items[0]?.id}`);
  await page.getByRole("spinbutton", { name: "Instance" }).fill("2");
  const instance = page.getByTestId("instance").getByTestId("carve");
  expect(countIn(await download(page, instance))).toBe(Number(await instance.getAttribute("data-packets")));
  await page.goto(`/i/${id}/files`);
  const [bundle] = await Promise.all([page.waitForEvent("download"), page.getByTestId("anonymised").click()]);
  expect(bundle.suggestedFilename()).toBe("anonymised.tar.gz");
});

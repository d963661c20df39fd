import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import path from "node:path";

import { api, demoFile, drop, expect, post, test, untilAnalysed, type Made } from "./product";

const DOCX = Buffer.concat([
  Buffer.from([0x50, 0x4b, 0x03, 0x04, 20, 0, 0, 0, 0, 0]),
  Buffer.alloc(20),
  Buffer.from("[Content_Types].xml word/document.xml"),
]);

interface FileList {
  items: { name: string; warnings: string[]; status: string }[];
}

test("files dropped on any page start an upload", async ({ page }) => {
  for (const address of ["/", "/new", "/capture"]) {
    await page.goto(address);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await drop(page, [{ name: "ip-link.txt", bytes: Buffer.from("x") }], false);
    await expect(page.getByTestId("drop-overlay")).toContainText("New investigation");
  }
  const { id } = await post<Made>("/investigations", { label: "checkout timeouts" });
  await page.goto(`/i/${id}`);
  await page.getByRole("link", { name: /^Files/ }).first().waitFor(); // the tab, and the hint of an empty one
  await drop(page, [{ name: "ip-link.txt", bytes: demoFile("snat-race", "ip-link.txt") }], false);
  await expect(page.getByTestId("drop-overlay")).toContainText("Add to “checkout timeouts”");
  await drop(page, [{ name: "ip-link.txt", bytes: demoFile("snat-race", "ip-link.txt") }]);
  await expect(page).toHaveURL(new RegExp(`/i/${id}/files$`));
  await expect(page.locator("[data-testid=file][data-name='ip-link.txt']")).toBeVisible();
});

test("a Word document is refused with a reason and nothing is stored", async ({ page }) => {
  const { id } = await post<Made>("/investigations", { label: "refusals" });
  await page.goto(`/i/${id}/files`);
  await page.getByRole("heading", { name: "Files" }).waitFor();
  await drop(page, [{ name: "notes.docx", bytes: DOCX }]);
  const refused = page.locator("[data-testid=upload][data-status=refused]");
  await expect(refused).toContainText("Not accepted");
  await expect(refused).toContainText(/Word|Office/);
  expect((await api<FileList>(`/investigations/${id}/files`)).items).toEqual([]);
});

/** Lets the last stage of an analysis wait as a stuck disk would: the first table that it writes is a pipe without a
 * reader, put there as soon as the analysis has made the folder of its tables. */
function stickDisk(id: string): () => void {
  const folder = path.join(process.env.STALLSCOPE_E2E_DATA ?? "", "packets", id, "analysis.new");
  const pipe = path.join(folder, "paths.parquet");
  const watching = setInterval(() => {
    if (!existsSync(folder)) return;
    clearInterval(watching);
    execFileSync("mkfifo", [pipe]);
  }, 5);
  return () => {
    clearInterval(watching);
    rmSync(pipe, { force: true });
  };
}

test("findings are shown before the last stage is over, stay over a reload, and are none when it is cancelled; stages never go back", async ({ page }) => {
  const { id } = await post<Made>("/investigations", { label: "stuck" });
  const free = stickDisk(id);
  await page.goto(`/i/${id}/files`);
  await page.getByRole("heading", { name: "Files" }).waitFor();
  await api(`/investigations/${id}/files/node.pcapng`, { method: "PUT", body: new Uint8Array(demoFile("snat-race", "three-interfaces.pcapng")) });
  await page.reload();
  const seen: number[] = [];
  const found = page.getByTestId("finding-so-far");
  while (!(await found.first().isVisible())) {
    seen.push(...(await page.getByTestId("stage").evaluateAll((bars) => bars.map((bar) => (bar as HTMLProgressElement).value))));
    await page.waitForTimeout(50);
  }
  expect(seen.length).toBeGreaterThan(0);
  expect([...seen].sort((a, b) => a - b)).toEqual(seen);
  await expect(page.getByTestId("running")).toContainText("Stage 6 of 6: diagnose · Looking for the cause. · 83 %");
  await expect(page).toHaveTitle(/^83 %/);
  await expect(page.getByTestId("file-counts")).toHaveText("1 file: 1 read");
  const { found_so_far } = await api<{ found_so_far: { id: string; title: string }[] }>(`/investigations/${id}/progress`);
  expect(found_so_far.length).toBeGreaterThan(1);
  for (const address of [`/i/${id}/files`, `/i/${id}`]) {
    await page.goto(address);
    await expect(found).toHaveCount(found_so_far.length);
    for (const [place, { title }] of found_so_far.entries()) {
      await expect(found.nth(place)).toContainText(title);
      await expect(found.nth(place)).toContainText("so far");
    }
  }
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("The analysis was cancelled.")).toBeVisible();
  await expect(found).toHaveCount(0);
  free();
  await post(`/investigations/${id}/analyses`, {});
  await untilAnalysed(id);
  expect((await api<{ found_so_far: unknown[] }>(`/investigations/${id}/progress`)).found_so_far).toEqual([]);
  const { items } = await api<{ items: { id: string }[] }>(`/investigations/${id}/findings`);
  expect(items.map((finding) => finding.id).sort()).toEqual(found_so_far.map((finding) => finding.id).sort());
});

test("a capture cut short is analysed up to the cut, which is named", async ({ page }) => {
  const whole = demoFile("snat-race", "three-interfaces.pcapng");
  const { id } = await post<Made>("/investigations", { label: "cut short" });
  await page.goto(`/i/${id}/files`);
  await page.getByRole("heading", { name: "Files" }).waitFor();
  await drop(page, [{ name: "cut.pcapng", bytes: whole.subarray(0, Math.floor(whole.length / 2) + 5) }]);
  await expect(page.getByTestId("claim").or(page.getByTestId("nothing-found"))).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/i/${id}$`));
  await page.goto(`/i/${id}/files`);
  const row = page.locator("[data-testid=file][data-name='cut.pcapng']");
  await expect(row).toHaveAttribute("data-status", "decoded");
  await expect(row).toContainText(/[Pp]acket [\d,]+/);
  await expect(row).toContainText(/byte [\d,]+/);
});

/** A capture of `size_bytes` or a little less: one frame of zeros again and again. */
function bigCapture(size_bytes: number): Buffer {
  const head = Buffer.alloc(24);
  head.writeUInt32LE(0xa1b2c3d4, 0);
  head.writeUInt16LE(2, 4);
  head.writeUInt16LE(4, 6);
  head.writeUInt32LE(65_535, 16);
  head.writeUInt32LE(1, 20);
  const frame_bytes = 1500;
  const record = Buffer.alloc(16 + frame_bytes);
  record.writeUInt32LE(1_700_000_000, 0);
  record.writeUInt32LE(frame_bytes, 8);
  record.writeUInt32LE(frame_bytes, 12);
  return Buffer.concat([head, ...Array<Buffer>(Math.floor(size_bytes / record.length)).fill(record)]);
}

test("an upload that was cut off goes on where it stopped after a reload", async ({ page }) => {
  const file = { name: "big.pcap", bytes: bigCapture(12 * 1024 * 1024) };
  const { id } = await post<Made>("/investigations", { label: "resumed" });
  let pieces = 0;
  await page.route("**/uploads/**", async (route) => {
    if (route.request().method() === "PATCH" && (pieces += 1) > 1) await route.abort();
    else await route.continue();
  });
  await page.goto(`/i/${id}/files`);
  await page.getByRole("heading", { name: "Files" }).waitFor();
  await drop(page, [file]);
  await expect(page.locator("[data-testid=upload][data-status=waiting]")).toBeVisible({ timeout: 60_000 });
  await page.unrouteAll();
  await page.route("**/uploads/**", async (route) => {
    // Slow enough to be seen.
    await new Promise((resolve) => setTimeout(resolve, 700));
    await route.continue();
  });
  await page.reload();
  await page.getByRole("heading", { name: "Files" }).waitFor();
  await drop(page, [file]);
  await expect(page.getByTestId("upload")).toContainText("resumed at 8.4 MB", { timeout: 60_000 });
  await untilAnalysed(id);
  await page.goto(`/i/${id}/files`);
  const row = page.locator("[data-testid=file][data-name='big.pcap']");
  await expect(row).toHaveCount(1);
  await expect(row).toHaveAttribute("data-status", "decoded", { timeout: 60_000 });
});

/** What the specs of the timeline look at on the page. */
import type { Page } from "@playwright/test";

import { analysedDemo, api, expect } from "./product";

export interface Window {
  fromNs: number;
  durationNs: number;
}

export interface Mark {
  id: string;
  glyph: string;
  t: number;
  t_end: number | null;
  lanes: string[];
  finding: string;
  instance: number | null;
}

export async function open(page: Page, search = ""): Promise<string> {
  const id = await analysedDemo("snat-race");
  await page.goto(`/i/${id}/timeline${search}`);
  await page.locator("[data-drawn]").waitFor();
  return id;
}

export async function windowInAddress(page: Page): Promise<Window> {
  await expect.poll(() => new URL(page.url()).searchParams.get("w")).not.toBeNull();
  const [fromNs, durationNs] = (new URL(page.url()).searchParams.get("w") ?? "").split("~").map(Number);
  return { fromNs: fromNs ?? NaN, durationNs: durationNs ?? NaN };
}

export async function drawnWindow(page: Page): Promise<Window> {
  const text = (await page.locator("[data-drawn]").getAttribute("data-drawn")) ?? "";
  const [fromNs, durationNs] = text.split("~").map(Number);
  return { fromNs: fromNs ?? NaN, durationNs: durationNs ?? NaN };
}

export async function lanesBox(page: Page) {
  await page.getByTestId("lanes").scrollIntoViewIfNeeded();
  const box = await page.getByTestId("lanes").boundingBox();
  if (!box) throw new Error("no lanes");
  return box;
}

/** Finding with a cross for each delayed connection, and its marks. */
export async function lossMarks(id: string): Promise<Mark[]> {
  const timeline = await api<{ marks: Mark[] }>(`/investigations/${id}/timeline?px=1200`);
  return timeline.marks.filter((mark) => mark.glyph === "missing");
}

/** A screenshot of the chart once the last answer is drawn. */
export async function stillPicture(page: Page): Promise<string> {
  await page.waitForLoadState("networkidle");
  await page.mouse.move(2, 2);
  return (await page.getByTestId("timeline").screenshot({ animations: "disabled", caret: "hide" })).toString("base64");
}

/** Share of pixels that differ between two screenshots. */
export function differing(page: Page, before: string, after: string): Promise<number> {
  return page.evaluate(async (pictures) => {
    const [a, b] = await Promise.all(pictures.map(async (base64) => {
      const blob = new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], { type: "image/png" });
      const bitmap = await createImageBitmap(blob);
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const pen = canvas.getContext("2d");
      pen?.drawImage(bitmap, 0, 0);
      return pen?.getImageData(0, 0, bitmap.width, bitmap.height).data ?? new Uint8ClampedArray();
    }));
    if (!a || !b || a.length !== b.length) return 1;
    let different = 0;
    for (let i = 0; i < a.length; i += 4) {
      if (Math.abs((a[i] ?? 0) - (b[i] ?? 0)) + Math.abs((a[i + 1] ?? 0) - (b[i + 1] ?? 0)) > 24) different += 1;
    }
    return different / (a.length / 4);
  }, [before, after]);
}

/** How many pixels of the canvas have exactly the colour of a token. */
export function tokenPixels(page: Page, token: string): Promise<number> {
  return page.evaluate((name) => {
    const colour = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    const canvas = document.querySelector<HTMLCanvasElement>(".timeline-canvas canvas");
    const pixels = canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    let same = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      if (pixels[i] === wanted[0] && pixels[i + 1] === wanted[1] && pixels[i + 2] === wanted[2] && pixels[i + 3] === 255) same += 1;
    }
    return same;
  }, token);
}

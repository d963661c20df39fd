/** What a page costs: time, answers, memory, rows in the document. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

import type { Browser, Page } from "@playwright/test";

export interface Watched {
  /** Bytes of the largest answer of the API so far, before compression, and its address. */
  largest: () => Promise<{ bytes: number; address: string }>;
  /** Bytes of all scripts so far, compressed. */
  scripts: () => Promise<number>;
}

/** Weighs every answer from now on. */
export function watch(page: Page): Watched {
  const answers: Promise<{ bytes: number; address: string }>[] = [];
  const scripts: Promise<number>[] = [];
  page.on("response", (answer) => {
    const { pathname, search } = new URL(answer.url());
    // A stream of events never ends.
    if (pathname.endsWith("/events")) return;
    const body = answer.body().catch(() => Buffer.alloc(0));
    if (pathname.includes("/api/")) answers.push(body.then((bytes) => ({ bytes: bytes.length, address: pathname.replace(/.*\/[0-9a-f]{16,32}/, "") + search })));
    else if (pathname.endsWith(".js")) scripts.push(body.then((bytes) => gzipSync(bytes).length));
  });
  return {
    largest: async () => (await Promise.all(answers)).reduce((most, each) => (each.bytes > most.bytes ? each : most), { bytes: 0, address: "" }),
    scripts: async () => (await Promise.all(scripts)).reduce((sum, bytes) => sum + bytes, 0),
  };
}

const KB_OF_RSS = /^VmRSS:\s+(\d+) kB/m;

/** MB that the script holds, and that the tab's whole process holds. */
export async function memoryOf(browser: Browser, page: Page): Promise<{ script_mb: number; tab_mb: number }> {
  const tab = await page.context().newCDPSession(page);
  await tab.send("Performance.enable");
  const { metrics } = await tab.send("Performance.getMetrics");
  const system = await browser.newBrowserCDPSession();
  const { processInfo } = await system.send("SystemInfo.getProcessInfo");
  const residents = processInfo
    .filter((each) => each.type === "renderer")
    .map((each) => Number(KB_OF_RSS.exec(readFileSync(`/proc/${each.id}/status`, "utf8"))?.[1] ?? 0) / 1024);
  await Promise.all([tab.detach(), system.detach()]);
  return { script_mb: (metrics.find((each) => each.name === "JSHeapUsedSize")?.value ?? NaN) / 1e6, tab_mb: Math.max(...residents) };
}

export interface Painted {
  ms: number;
  /** Of it the script that the key set off, before the browser painted. */
  script_ms: number;
}

/** From a key on the timeline to the end of the frame in which the chart was drawn anew. */
export function keyToPaint(page: Page, code: string): Promise<Painted> {
  return page.evaluate(async (pressed) => {
    const chart = document.querySelector("[data-testid=timeline]");
    const begun = performance.now();
    chart?.dispatchEvent(new KeyboardEvent("keydown", { code: pressed, key: pressed, bubbles: true }));
    const script_ms = await new Promise<number>((framed) => requestAnimationFrame(() => framed(performance.now() - begun)));
    // What is sent from within a frame arrives when the frame was drawn.
    await new Promise<void>((painted) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => painted();
      port2.postMessage(null);
    });
    return { ms: performance.now() - begun, script_ms };
  }, code);
}

/** Starts the product once for all specs, on a free port with an empty data folder, and ends it afterwards. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const REPOSITORY = path.resolve(import.meta.dirname, "../..");
const STALLSCOPE = process.env.STALLSCOPE ?? path.join(REPOSITORY, ".venv/bin/stallscope");
const READY_WITHIN_MS = 60_000;

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => (typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port"))));
    });
  });
}

async function untilReady(base: string, server: ChildProcess, output: string[]): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    if (server.exitCode !== null) break;
    const answer = await fetch(`${base}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`stallscope serve did not become ready:\n${output.join("")}`);
}

function ended(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (server.exitCode !== null) resolve();
    else server.once("exit", () => resolve());
  });
}

export interface Started {
  base: string;
  /** Its data folder. */
  data: string;
  stop: () => Promise<void>;
}

/** A product of its own, on a free port with an empty data folder, or with one that is kept. */
export async function startProduct(options: string[] = [], environment: Record<string, string> = {}, kept = ""): Promise<Started> {
  const port = await freePort();
  const data = kept || mkdtempSync(path.join(tmpdir(), "stallscope-e2e-"));
  const server = spawn(STALLSCOPE, ["serve", "--port", String(port), "--data", data, ...options], {
    cwd: tmpdir(),
    env: { ...process.env, ...environment },
  });
  const output: string[] = [];
  server.stdout.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  server.stderr.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  const base = `http://127.0.0.1:${port}`;
  await untilReady(base, server, output);
  async function stop() {
    server.kill("SIGTERM");
    await ended(server);
    const errors = output.join("").split("\n").filter((line) => line.includes("[error"));
    if (errors.length > 0) console.error(["Errors in the log of the product:", ...errors].join("\n"));
    if (!kept) rmSync(data, { recursive: true, force: true });
  }
  return { base, data, stop };
}

export default async function startServer(): Promise<() => Promise<void>> {
  const { base, data, stop } = await startProduct([], {}, process.env.STALLSCOPE_BENCH_DATA);
  process.env.STALLSCOPE_E2E_URL = base;
  process.env.STALLSCOPE_E2E_DATA = data;
  const demos = mkdtempSync(path.join(tmpdir(), "stallscope-demos-"));
  process.env.STALLSCOPE_E2E_DEMOS = demos;
  return async () => {
    await stop();
    rmSync(demos, { recursive: true });
  };
}

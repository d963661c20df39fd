import { afterEach, expect, test, vi } from "vitest";

import { ask } from "../http";
import { isLost, lookAgain, markLost, markReached, onReachability } from "../reachability";

/** A server of which some answers need the database. */
function answering(statuses: Record<string, number>): void {
  vi.stubGlobal("fetch", (path: string) => Promise.resolve(new Response("{}", { status: statuses[path] ?? 404 })));
}

afterEach(async () => {
  answering({ "/readyz": 200 });
  await lookAgain();
  vi.unstubAllGlobals();
});

test("a database that is away counts as lost until the server says that it is ready", async () => {
  answering({ "/readyz": 503, "/api/v1/detectors": 200 });
  await lookAgain();
  expect(isLost()).toBe(true);
  await ask("/api/v1/detectors");
  expect(isLost()).toBe(true);
  answering({ "/readyz": 200 });
  await lookAgain();
  expect(isLost()).toBe(false);
});

test("a refusal with 503 asks whether it is the database, and is believed only then", async () => {
  answering({ "/readyz": 200, "/api/v1/x": 503 });
  await expect(ask("/api/v1/x")).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve));
  expect(isLost()).toBe(false);
  answering({ "/readyz": 503, "/api/v1/x": 503 });
  const told = new Promise<void>((resolve) => onReachability(resolve));
  await expect(ask("/api/v1/x")).rejects.toThrow();
  await told;
  expect(isLost()).toBe(true);
});

test("a server that answers again is no longer lost", () => {
  markLost();
  expect(isLost()).toBe(true);
  markReached();
  expect(isLost()).toBe(false);
});

import { expect, test } from "vitest";

import { addressOf, epochNs, nameTable, type NamePart } from "../nameTable";

const part = (name: string, start: string | null, end: string | null, address = "10.0.0.1"): NamePart => ({
  address, name, sort: "pod", start, end, evidence: { input: "pods.json", frames: [], lines: [4], note: "" },
});
const AT = (second: number): string => String(epochNs("2026-11-20T08:00:00.000000000Z") + BigInt(second) * 1_000_000_000n);

test("an address that changed pods is named by the time", () => {
  const nameOf = nameTable([part("web/b", "2026-11-20T08:00:30.000000000Z", null), part("web/a", null, "2026-11-20T08:00:20.000000000Z")]);
  expect([0, 19, 20, 29, 30].map((second) => nameOf("10.0.0.1", AT(second))?.name)).toEqual(["web/a", "web/a", undefined, undefined, "web/b"]);
  expect(nameOf("10.0.0.1")).toBeNull();
  expect(nameOf("10.0.0.2", AT(0))).toBeNull();
});

test("one holder names an address without a time, with its source", () => {
  expect(nameTable([part("web/a", null, null)])("10.0.0.1")).toMatchObject({ name: "web/a", source: "pod, by pods.json line 4" });
});

test("times keep their nanoseconds", () => {
  expect(epochNs("1970-01-01T00:00:01.000000007Z")).toBe(1_000_000_007n);
});

test("an endpoint's address is without port and brackets", () => {
  expect(["10.0.0.1:80", "10.0.0.1", "[fd00::1]:80", "fd00::1"].map(addressOf)).toEqual(["10.0.0.1", "10.0.0.1", "fd00::1", "fd00::1"]);
});

import { expect, it } from "vitest";

import { partRows } from "../partRows";

const timing = (kind: string, cpu_s: number) => ({ kind, cpu_s, grown_bytes: 0 });

it("shows what failed first, also what was never run, and then what took most", () => {
  const rows = partRows({
    timings: [timing("dns-delay", 0.1), timing("cause:path-loss", 2), timing("zero-window", 0.5)],
    checked: [
      { kind: "zero-window", status: "failed", why: "stopped" },
      { kind: "cause:path-mtu", status: "failed", why: "ended" },
      { kind: "dns-delay", status: "clear", why: "none" },
    ],
  });
  expect(rows.map((row) => [row.kind, row.failed])).toEqual([
    ["zero-window", "stopped"], ["cause:path-mtu", "ended"], ["cause:path-loss", undefined], ["dns-delay", undefined],
  ]);
});

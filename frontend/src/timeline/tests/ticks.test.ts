import { describe, expect, it } from "vitest";

import { linearAxis } from "../timeAxis";
import { chooseTicks, offsetLabel, tickStep } from "../ticks";

const T0 = "1795223503486947163";

describe("ruler", () => {
  it.each([1_000, 20_000, 137_000, 4_000_000, 1_100_000_000, 13_000_000_000, 7_200_000_000_000])(
    "shows at least three labels and none twice over %d ns",
    (durationNs) => {
      for (const reading of ["start", "mark", "clock"] as const) {
        const labels = chooseTicks(linearAxis({ fromNs: 353_490_000, durationNs }, 1250), reading, 353_498_169, T0).map((tick) => tick.label);
        expect(labels.length).toBeGreaterThanOrEqual(3);
        expect(new Set(labels).size).toBe(labels.length);
      }
    },
  );

  it("steps by 1, 2 and 5 below a second and like a clock above", () => {
    expect(tickStep(1_100_000_000, 1250)).toBe(100_000_000);
    expect(tickStep(100_000_000_000, 1250)).toBe(10_000_000_000);
    expect(tickStep(400_000_000_000, 1250)).toBe(60_000_000_000);
  });

  it("names offsets in the step's unit", () => {
    expect(offsetLabel(300_000_000, 100_000_000, 1_000_000_000)).toBe("+0.3 s");
    expect(offsetLabel(5_000, 5_000, 20_000)).toBe("+5 µs");
    expect(offsetLabel(-200, 100, 1_000)).toBe("−0.2 µs");
    expect(offsetLabel(3_051_205_000, 5_000, 3_051_300_000)).toBe("+3.051205 s");
  });
});

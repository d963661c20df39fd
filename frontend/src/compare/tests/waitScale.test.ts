import { expect, test } from "vitest";

import { stepsOf, waitScale, waitTicks } from "../waitScale";

const side = (...quantiles_ms: number[]) => ({ median_ms: 1, p95_ms: 10, p99_ms: 10, quantiles_ms });

test("both sides lie on one logarithmic scale, from the smallest sample to the largest", () => {
  const scale = waitScale([side(0.1, 1, 10), side(1, 10, 1000)]);
  expect([scale(0.1), scale(10), scale(1000)]).toEqual([0, 0.5, 1]);
  expect(scale(5000)).toBe(1);
});

test("ticks are powers of ten within it", () => {
  expect(waitTicks([side(0.05, 1030)])).toEqual([0.1, 1, 10, 100, 1000]);
});

test("samples that are all alike stand in the middle", () => {
  const alike = { median_ms: 3, p95_ms: 3, p99_ms: 3, quantiles_ms: [3, 3] };
  expect(waitScale([alike])(3)).toBe(0.5);
  expect(stepsOf([3, 4, 5])).toEqual([{ ms: 3, share: 0 }, { ms: 4, share: 0.5 }, { ms: 5, share: 1 }]);
});

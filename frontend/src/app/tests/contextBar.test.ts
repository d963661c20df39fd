import { expect, test } from "vitest";

import type { Clock } from "../../format/clock";
import { chipsOf } from "../ContextBar";

const CLOCK: Clock = { reading: "start", markNs: null, t0: null };

test("window, filter and selection become chips in words", () => {
  const chips = chipsOf({ w: "20000000~1100000000", q: "10.244", sel: "lost-1~3", tab: "packets" }, CLOCK);
  expect(chips.map((chip) => chip.value)).toEqual(["+0.020000 s, 1.1 s long", "10.244", "lost-1, instance 3"]);
});

test("an address without a view has none", () => expect(chipsOf({ w: "nonsense" }, CLOCK)).toEqual([]));

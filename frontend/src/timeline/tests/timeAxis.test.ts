import { describe, expect, it } from "vitest";

import { chooseTicks } from "../ticks";
import { FOLD_PX, foldedAxis, linearAxis, openNs, openStretches, panBy, zoomAt } from "../timeAxis";
import { windowEnd } from "../timeWindow";

const S = 1_000_000_000;
const W = { fromNs: 0, durationNs: 2 * S };
const SPAN = { from: 0, to: 10 * S };
/** 0.2 s, a fold of 1.6 s, 0.2 s, then one out of the window. */
const FOLDS = [{ from: 0.2 * S, to: 1.8 * S }, { from: 3 * S, to: 4 * S }];
const AXIS = foldedAxis(W, 1000, FOLDS);

describe("a folded axis", () => {
  it("shows the window over its whole width, the fold in 24 px, the rest evenly", () => {
    expect([AXIS.x(0), AXIS.x(windowEnd(W))]).toEqual([0, 1000]);
    expect(AXIS.x(1.8 * S) - AXIS.x(0.2 * S)).toBeCloseTo(FOLD_PX);
    expect(AXIS.x(0.1 * S) * 2).toBeCloseTo(AXIS.x(0.2 * S));
    expect(AXIS.x(0.2 * S)).toBeCloseTo(1000 - AXIS.x(1.8 * S));
    expect(openNs(AXIS)).toBe(0.4 * S);
  });

  it("turns pixels into times and back: in the open, in a fold, before and behind the window", () => {
    for (const t of [-500_000_000, 0, 123_456_789, 200_000_000, 1_000_000_000, 1_800_000_000, 1_999_999_999, 3_500_000_000, 9_000_000_000]) {
      expect(Math.abs(AXIS.t(AXIS.x(t)) - t)).toBeLessThanOrEqual(1);
    }
    for (const t of [-5, 0, 700, 2_000_000_000]) expect(linearAxis(W, 1000).t(linearAxis(W, 1000).x(t))).toBe(t);
  });

  it("shows the part of a fold that the window cuts, and no more", () => {
    const cut = foldedAxis({ fromNs: 1 * S, durationNs: 1 * S }, 1000, FOLDS);
    expect(cut.x(1.8 * S)).toBeCloseTo(FOLD_PX / 2);
    expect(openStretches(cut)).toEqual([{ from: 1.8 * S, to: 2 * S }]);
  });

  it("keeps the time under the pointer when zooming, and the fold at its width", () => {
    const at = AXIS.x(0.15 * S);
    const closer = foldedAxis(zoomAt(AXIS, 0.9, at, SPAN), 1000, FOLDS);
    expect(Math.abs(closer.x(0.15 * S) - at)).toBeLessThan(0.01);
    expect(closer.nsPerPx).toBeCloseTo(AXIS.nsPerPx * 0.9, 0);
  });

  it("moves what is seen as far as the hand when panning over a fold, and not beyond the data", () => {
    const moved = foldedAxis(panBy(AXIS, 0.3, SPAN), 1000, FOLDS);
    expect(Math.abs(moved.x(1.9 * S) - (AXIS.x(1.9 * S) - 300))).toBeLessThan(0.01);
    expect(windowEnd(panBy(AXIS, 1000, SPAN))).toBe(10.2 * S);
    expect(panBy(AXIS, -1000, SPAN).fromNs).toBe(-0.2 * S);
  });

  it("has ticks in the open only, none of them in a fold's label", () => {
    const ticks = chooseTicks(AXIS, "start", null, "0");
    expect(ticks.length).toBeGreaterThanOrEqual(3);
    expect(new Set(ticks.map((tick) => tick.label)).size).toBe(ticks.length);
    for (const { t } of ticks) expect(Math.abs(AXIS.x(t) - 500)).toBeGreaterThan(FOLD_PX / 2 + 29);
  });
});

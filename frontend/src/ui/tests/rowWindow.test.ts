import { expect, test } from "vitest";

import { firstRowAt, furthestFirst, HIGHEST_PX, isScaled, ROW_PX, rowsInView, rowsOfKey, scrollTopOf, trackPx } from "../rowWindow";

const MOST_UNSCALED = Math.floor(HIGHEST_PX / ROW_PX);
const VIEW_PX = 520;

test("a track is as high as its rows until it would be too high", () => {
  expect(trackPx(100)).toBe(100 * ROW_PX);
  expect(isScaled(MOST_UNSCALED)).toBe(false);
  expect(isScaled(MOST_UNSCALED + 1)).toBe(true);
  expect(trackPx(10_000_000)).toBe(HIGHEST_PX);
});

test.each([500, MOST_UNSCALED, 10_000_000])("the end of the scrollbar shows the last of %i rows", (total) => {
  const end_px = trackPx(total) - VIEW_PX;
  const first = firstRowAt(end_px, total, VIEW_PX);
  expect(first).toBeCloseTo(furthestFirst(total, VIEW_PX), 6);
  expect(rowsInView(first, total, VIEW_PX).to).toBe(total - 1);
});

test.each([500, 10_000_000])("row and scrollbar of %i rows agree both ways", (total) => {
  for (const first of [0, 1, 123, total / 3]) {
    expect(firstRowAt(scrollTopOf(first, total, VIEW_PX), total, VIEW_PX)).toBeCloseTo(first, 4);
  }
});

test("only rows in view are drawn", () => {
  expect(rowsInView(10.5, 1000, VIEW_PX)).toEqual({ from: 10, to: 31 });
  expect(rowsInView(0, 3, VIEW_PX)).toEqual({ from: 0, to: 2 });
  expect(rowsInView(0, 0, VIEW_PX).to).toBe(-1);
});

test("keys move by rows and pages, others not", () => {
  expect(rowsOfKey("ArrowDown", 99, VIEW_PX)).toBe(1);
  expect(rowsOfKey("PageUp", 99, VIEW_PX)).toBe(-19);
  expect(rowsOfKey("End", 99, VIEW_PX)).toBe(99);
  expect(rowsOfKey("x", 99, VIEW_PX)).toBeNull();
});

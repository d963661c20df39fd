import { expect, test } from "vitest";

import { firstRowAt, furthestFirst, HIGHEST_PX, isScaled, ROW_HEIGHTS_PX, rowsInView, rowsOfKey, scrollTopOf, trackPx } from "../rowWindow";

const ROW_PX = 26;
const MOST_UNSCALED = Math.floor(HIGHEST_PX / ROW_PX);
const VIEW_PX = 520;
const VIEW = { view_px: VIEW_PX, row_px: ROW_PX };

test("a track is as high as its rows until it would be too high", () => {
  expect(trackPx(100, ROW_PX)).toBe(100 * ROW_PX);
  expect(isScaled(MOST_UNSCALED, ROW_PX)).toBe(false);
  expect(isScaled(MOST_UNSCALED + 1, ROW_PX)).toBe(true);
  expect(trackPx(10_000_000, ROW_PX)).toBe(HIGHEST_PX);
});

test.each([500, MOST_UNSCALED, 10_000_000])("the end of the scrollbar shows the last of %i rows", (total) => {
  const end_px = trackPx(total, ROW_PX) - VIEW_PX;
  const first = firstRowAt(end_px, total, VIEW);
  expect(first).toBeCloseTo(furthestFirst(total, VIEW), 6);
  expect(rowsInView(first, total, VIEW).to).toBe(total - 1);
});

test.each([500, 10_000_000])("row and scrollbar of %i rows agree both ways", (total) => {
  for (const first of [0, 1, 123, total / 3]) {
    expect(firstRowAt(scrollTopOf(first, total, VIEW), total, VIEW)).toBeCloseTo(first, 4);
  }
});

test("only rows in view are drawn", () => {
  expect(rowsInView(10.5, 1000, VIEW)).toEqual({ from: 10, to: 31 });
  expect(rowsInView(0, 3, VIEW)).toEqual({ from: 0, to: 2 });
  expect(rowsInView(0, 0, VIEW).to).toBe(-1);
});

test("keys move by rows and pages, others not", () => {
  expect(rowsOfKey("ArrowDown", 99, VIEW)).toBe(1);
  expect(rowsOfKey("PageUp", 99, VIEW)).toBe(-19);
  expect(rowsOfKey("End", 99, VIEW)).toBe(99);
  expect(rowsOfKey("x", 99, VIEW)).toBeNull();
});

test.each(Object.values(ROW_HEIGHTS_PX))("rows of %i px: a few dozen are drawn of 10 M, the last among them", (row_px) => {
  const view = { view_px: 610, row_px };
  const { from, to } = rowsInView(furthestFirst(10_000_000, view), 10_000_000, view);
  expect(to).toBe(9_999_999);
  expect(to - from).toBeLessThan(30);
  expect(trackPx(10_000_000, row_px)).toBeLessThan(33_554_428);
});

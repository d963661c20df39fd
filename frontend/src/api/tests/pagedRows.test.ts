import { expect, test } from "vitest";

import { PAGE_ROWS, pagesOf } from "../pagedRows";

test("rows in view lie on one page, or on two where a page ends", () => {
  expect(pagesOf(0, PAGE_ROWS - 1)).toEqual([0]);
  expect(pagesOf(PAGE_ROWS - 1, PAGE_ROWS)).toEqual([0, 1]);
  expect(pagesOf(9_999_990, 9_999_999)).toEqual([49_999]);
});

test("an empty list asks for its first page only", () => expect(pagesOf(0, -1)).toEqual([0]));

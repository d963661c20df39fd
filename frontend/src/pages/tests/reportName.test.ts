import { expect, test } from "vitest";

import { fileName } from "../ReportPage";

test.each([
  ["Checkout timeouts, node-7", "checkout-timeouts-node-7"],
  ["../../etc/passwd", "etc-passwd"],
  ["Zürich 東京", "zürich-東京"],
  ["///", "report"],
  ["", "report"],
])("%s is saved as %s", (label, name) => expect(fileName(label)).toBe(name));

test("a long title is cut", () => expect(fileName("x".repeat(500))).toHaveLength(60));

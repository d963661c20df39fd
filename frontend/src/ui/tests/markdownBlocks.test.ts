import { expect, test } from "vitest";

import { blocksOf } from "../markdownBlocks";

test("headings, paragraphs of several lines, lists and tables are told apart", () => {
  const text = "# Title\n\nOne\nsentence.\n- first\n  goes on\n- second\n\n| name | value |\n| --- | --- |\n| window | 1 ms |\n";
  expect(blocksOf(text)).toEqual([
    { kind: "heading", level: 1, text: "Title" },
    { kind: "paragraph", text: "One sentence." },
    { kind: "list", items: ["first goes on", "second"] },
    { kind: "table", head: ["name", "value"], rows: [["window", "1 ms"]] },
  ]);
});

test("a blank line ends a paragraph", () => {
  expect(blocksOf("a\n\nb")).toEqual([
    { kind: "paragraph", text: "a" },
    { kind: "paragraph", text: "b" },
  ]);
});

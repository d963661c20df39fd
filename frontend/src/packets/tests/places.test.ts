import { expect, test } from "vitest";

import type { TreeNode } from "../../api/looks";
import { goalOf } from "../GoTo";
import { nodeAt } from "../ProtocolTree";

const inputs = ["a.pcap", "b.pcap"];

test.each([
  ["#241", { input: "a.pcap", frame: 241 }],
  ["b.pcap#7", { input: "b.pcap", frame: 7 }],
  ["c.pcap#7", null],
  ["+1.025", { t: 1_025_000_000 }],
  ["1.5 s", { t: 1_500_000_000 }],
  ["2s", { t: 2_000_000_000 }],
  ["13,545", { row: 13_544 }],
  ["0", null],
  ["soon", null],
])("%s leads to its place", (text, goal) => {
  expect(goalOf(text, inputs)).toEqual(goal);
});

const node = (name: string, begin: number, end: number, children: TreeNode[] = []): TreeNode => ({ name, text: name, begin, end, children });

test("a byte belongs to the smallest field that holds it", () => {
  const tree = [node("eth", 0, 14, [node("dst", 0, 6, [node("bit", 0, 1)])]), node("said of it", 0, 0, [node("ip", 14, 34)])];
  expect(nodeAt(tree, 0)?.name).toBe("bit");
  expect(nodeAt(tree, 3)?.name).toBe("dst");
  expect(nodeAt(tree, 20)?.name).toBe("ip");
  expect(nodeAt(tree, 40)).toBeNull();
});

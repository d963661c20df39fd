import { expect, test } from "vitest";

import { conjuncts, partName, withoutPart } from "../conjuncts";

test.each([
  ["tcp.flags.syn == 1 && ip.dst == 10.0.0.1", ["tcp.flags.syn == 1", "ip.dst == 10.0.0.1"]],
  ["a == 1 and b == 2 AND c", ["a == 1", "b == 2", "c"]],
  ["a && (b || c) && d in {1, 2 && 3}", ["a", "(b || c)", "d in {1, 2 && 3}"]],
  ['info contains "x && y" && b', ['info contains "x && y"', "b"]],
  ['info contains "x \\" && y" && b', ['info contains "x \\" && y"', "b"]],
  ["a || b && c", ["a || b && c"]],
  ["a or b", ["a or b"]],
  ["orange && android", ["orange", "android"]],
  ["tcp", ["tcp"]],
  ["", []],
])("%s", (filter, parts) => expect(conjuncts(filter)).toEqual(parts));

test("a part is left out, and named by its field where that says which", () => {
  const parts = ["ip.dst == 10.0.0.1", "tcp.port > 1", "tcp.port < 9", "!(lane == eth0)"];
  expect(withoutPart(parts, 1)).toBe("ip.dst == 10.0.0.1 && tcp.port < 9 && !(lane == eth0)");
  expect(parts.map((_, at) => partName(parts, at))).toEqual(["ip.dst", "tcp.port > 1", "tcp.port < 9", "lane"]);
});

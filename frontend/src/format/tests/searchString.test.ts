import { expect, test } from "vitest";

import { parseSearch, stringifySearch } from "../searchString";

test("the view stays readable in the address and comes back as it was", () => {
  const view = { w: "10~1100", evidence: "a b.pcap#f241", q: "10.0.0.1:80" };
  const text = stringifySearch(view);
  expect(text).toBe("?w=10~1100&evidence=a%20b.pcap%23f241&q=10.0.0.1:80");
  expect(parseSearch(text)).toEqual(view);
});

test("what is not set is not written", () => expect(stringifySearch({ w: null, q: "" })).toBe(""));

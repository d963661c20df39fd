import { expect, test } from "vitest";

import { isAmong, placesAmong } from "../places";
import { understand } from "../understand";

test("an address with a port is an endpoint and nothing else", () => {
  expect(understand(" 10.0.0.1:41361 ")).toEqual({ mode: "all", words: "10.0.0.1:41361", letter: null, frame: null, offset_ns: null, endpoint: "10.0.0.1:41361" });
  expect(understand("10.0.0.1:41361 → 10.0.0.2:80").endpoint).toBe("10.0.0.1:41361");
  expect(understand("10.244.35").endpoint).toBe("10.244.35");
  expect(understand("1.025").endpoint).toBeNull();
  expect(understand(":41361").endpoint).toBe("41361");
  expect(understand("65535").endpoint).toBe("65535");
  expect(understand("65536").endpoint).toBeNull();
  expect(understand("fe80::1").endpoint).toBe("fe80::1");
  expect(understand("timeouts").endpoint).toBeNull();
});

test("a frame may come with its file, and grouped digits are one number", () => {
  expect(understand("#1228").frame).toEqual({ input: null, number: 1228 });
  expect(understand("eth0.pcap#1,228").frame).toEqual({ input: "eth0.pcap", number: 1228 });
  expect(understand("any.pcap#f7").frame).toEqual({ input: "any.pcap", number: 7 });
  expect(understand("frame 12").frame).toEqual({ input: null, number: 12 });
  expect(understand("#0").frame).toBeNull();
});

test("a time needs its sign or its unit, and keeps every digit", () => {
  expect(understand("+1.025s").offset_ns).toBe(1_025_000_000);
  expect(understand("+0.353498169 s").offset_ns).toBe(353_498_169);
  expect(understand("40 ms").offset_ns).toBe(40_000_000);
  expect(understand("2.1µs").offset_ns).toBe(2_100);
  expect(understand("+7").offset_ns).toBe(7_000_000_000);
  expect(understand("1.025").offset_ns).toBeNull();
  expect(understand("+").offset_ns).toBeNull();
});

test("one or two letters name a finding", () => {
  expect(understand("a").letter).toBe("A");
  expect(understand("AB").letter).toBe("AB");
  expect(understand("ABC").letter).toBeNull();
});

test("a sign in front chooses what is searched, and then nothing else is read into the words", () => {
  expect(understand("> dark")).toMatchObject({ mode: "commands", words: "dark" });
  expect(understand("/tcp.port == 80")).toMatchObject({ mode: "filter", words: "tcp.port == 80" });
  expect(understand("?SYN")).toMatchObject({ mode: "glossary", words: "SYN", letter: null });
  expect(understand("")).toMatchObject({ mode: "all", words: "", letter: null, frame: null, offset_ns: null });
});

test("what a share does not show is not offered", () => {
  const hrefs = ["/s/a", "/s/a/timeline"];
  expect(placesAmong("/s/a", hrefs).map((place) => place.name)).toEqual(["Overview", "Timeline"]);
  expect(isAmong("/s/a/timeline?w=1~2", "/s/a", hrefs)).toBe(true);
  expect(isAmong("/s/a/packets?q=1", "/s/a", hrefs)).toBe(false);
  expect(isAmong("/settings", "/s/a", hrefs)).toBe(true);
});

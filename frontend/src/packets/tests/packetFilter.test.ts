import { expect, test } from "vitest";

import { readPacketFilter } from "../packetFilter";

test.each([
  ["", {}],
  ["10.244.35.29:41361", { q: "10.244.35.29:41361" }],
  ["tcp.flags.syn==1 && tcp.flags.ack == 0", { flags: "SYN,!ACK" }],
  ["!tcp.flags.ack && tcp.flags.syn", { flags: "!ACK,SYN" }],
  ["ip.addr == 10.0.0.1 && tcp.port==80", { address: "10.0.0.1", port: "80" }],
  ["ipv6.addr == fd00::1", { address: "fd00::1" }],
  ['lane == "any.pcap#0" && conn == 7', { lane: "any.pcap#0", cid: "7" }],
  ["tcp.port == 80 && udp.port == 80", { port: "80" }],
])("%s is asked for as it is meant", (text, query) => {
  expect(readPacketFilter(text)).toEqual({ query, problem: null });
});

test.each([
  ["tcp.port == 80 && ip.src == 1.2.3.4", 18, 17, "not known"],
  ["tcp.port == http", 0, 16, "no number"],
  ["tcp.port == 80 && ", 16, 1, "missing"],
  ["tcp.port == 80 || tcp.port == 81", 0, 32, "Only &&"],
  ["tcp.port != 80", 0, 14, "Only =="],
  ["tcp.flags.syn == 2", 0, 18, "1 or 0"],
  ["tcp.flags.nope == 1", 0, 19, "no TCP flag"],
  ["tcp.flags.syn == 1 && tcp.flags.syn == 0", 22, 18, "set and not set"],
  ["tcp.port == 80 && tcp.port == 81", 18, 14, "twice"],
  ["conn ==", 0, 7, ""],
])("%s marks where it is wrong", (text, at, length, why) => {
  const { problem } = readPacketFilter(text);
  expect(problem).toMatchObject({ length });
  expect(problem?.why).toContain(why);
  if (at > 0) expect(problem?.at).toBeGreaterThanOrEqual(at);
});

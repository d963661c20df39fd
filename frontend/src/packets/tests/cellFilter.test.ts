import { expect, test } from "vitest";

import type { PacketLine } from "../../api/packets";
import { comparisonOf, endOf, narrowed } from "../cellFilter";

const line: PacketLine = {
  time_ns: "1", t: 1_500_000_000, lane: "a.pcap#0", input: "a.pcap", frame: 7, what: "SYN-ACK", protocol: "TCP", source: "10.0.0.1:80", destination: "[fd00::2]:4000",
  flags: "SYN ACK", sequence: 5, acknowledgement: 6, payload_bytes: 0, original_bytes: 74, cid: 3, info: "SYN-ACK", joined: [], findings: ["f-1"],
};
const names = { lane: "eth0", letters: ["A"] };

test.each([
  ["frame", 'file == "a.pcap" && frame.number == 7', "frame.number == 7"],
  ["lane", 'lane == "eth0"', null],
  ["source", "ip.src == 10.0.0.1 && tcp.srcport == 80", "ip.src == 10.0.0.1 && tcp.srcport == 80"],
  ["destination", "ipv6.dst == fd00::2 && tcp.dstport == 4000", "ipv6.dst == fd00::2 && tcp.dstport == 4000"],
  ["flags", "tcp.flags.syn == 1 && tcp.flags.fin == 0 && tcp.flags.reset == 0 && tcp.flags.ack == 1", undefined],
  ["length", "frame.len == 74", "frame.len == 74"],
  ["joined with", "conn == 3", null],
  ["finding", "finding in {A}", null],
])("a cell of %s is the comparison %s", (column, own, wireshark) => {
  const found = comparisonOf(column, line, names);
  expect(found?.own).toBe(own);
  if (wireshark !== undefined) expect(found?.wireshark).toBe(wireshark);
});

test("a cell without a value of its own has no comparison", () => {
  expect(comparisonOf("delta", line, names)).toBeNull();
  expect(comparisonOf("finding", line, { ...names, letters: [] })).toBeNull();
  expect(comparisonOf("source", { ...line, source: "10.0.0.1:0", protocol: "ICMP" }, names)?.own).toBe("ip.src == 10.0.0.1");
  expect(endOf("not an end")).toBeNull();
});

test.each([
  ["", false, "tcp"],
  ["udp", true, "udp && !(tcp)"],
  ["udp || icmp", false, "(udp || icmp) && tcp"],
])("%s is narrowed", (before, not, after) => {
  expect(narrowed(before, "tcp", not)).toBe(after);
});

import { describe, expect, test } from "vitest";

import type { Finding } from "../../api/types";
import { endpointOf, frameFilter, portableFilter } from "../wiresharkFilter";

const EVIDENCE = [{ input: "node.pcap", frames: [7, 9], lines: [], note: "" }];

describe("the frame filter", () => {
  test("names each frame of the file once, in order", () => {
    const evidence = [...EVIDENCE, { input: "node.pcap", frames: [3, 7], lines: [], note: "" }, { input: "b", frames: [1], lines: [], note: "" }];
    expect(frameFilter(evidence, "node.pcap")).toBe("frame.number in {3,7,9}");
  });

  test.each([
    [100, true],
    [101, false],
  ])("of %i frames: given %s", (frames, given) => {
    const evidence = [{ input: "a", frames: Array.from({ length: frames }, (_, at) => at + 1), lines: [], note: "" }];
    expect(frameFilter(evidence, "a") !== null).toBe(given);
  });
});

function finding(events: Record<string, unknown>[], affected: Record<string, unknown>[] = []): Finding {
  return {
    id: "f", kind: "k", severity: "info", confidence: 1, title: "", summary: "", count: 1, first: null, last: null,
    time_lost_s: 0, measures: {}, affected, events, evidence: EVIDENCE, tables: [], marks: [], role: "loss", marks_total: 0, instances: 0, frames_total: 0,
  };
}

const event = (source: string, destination = "10.0.0.9:80") => ({ source, destination });

describe("the portable filter", () => {
  test("gathers the ports of one client", () => {
    const filter = portableFilter(finding([event("10.0.0.1:4001"), event("10.0.0.1:4002"), event("10.0.0.1:4001")]));
    expect(filter).toBe("ip.addr == 10.0.0.1 && ip.addr == 10.0.0.9 && tcp.port == 80 && tcp.port in {4001,4002}");
  });

  test("takes the one destination of the finding where its events name none", () => {
    const affected = [{ protocol: "tcp", source: "10.0.0.1", destination: "10.0.0.9:80" }];
    expect(portableFilter(finding([{ source: "10.0.0.1:5" }], affected))).toContain("tcp.port == 80 && tcp.port in {5}");
    const two = [...affected, { protocol: "tcp", destination: "10.0.0.8:80" }];
    expect(portableFilter(finding([{ source: "10.0.0.1:5" }], two))).toBeNull();
  });

  test("joins clients, of either family", () => {
    const filter = portableFilter(finding([event("10.0.0.1:4001"), event("[fd00::1]:5", "[fd00::2]:443")]));
    expect(filter).toBe(
      "(ip.addr == 10.0.0.1 && ip.addr == 10.0.0.9 && tcp.port == 80 && tcp.port in {4001})" +
        " || (ipv6.addr == fd00::1 && ipv6.addr == fd00::2 && tcp.port == 443 && tcp.port in {5})",
    );
  });

  test.each([
    [100, true],
    [101, false],
  ])("of %i connections: given %s", (connections, given) => {
    const events = Array.from({ length: connections }, (_, at) => event(`10.0.0.1:${at + 1}`));
    expect(portableFilter(finding(events)) !== null).toBe(given);
  });

  test("is not made of events that name no connection, or of other protocols", () => {
    expect(portableFilter(finding([]))).toBeNull();
    expect(portableFilter(finding([{ source: "10.0.0.1", destination: "10.0.0.9:80" }]))).toBeNull();
    expect(portableFilter(finding([event("10.0.0.1:5")], [{ protocol: "udp" }]))).toBeNull();
  });

  test("takes endpoints apart", () => expect(endpointOf("[fe80::1]:80")).toEqual({ address: "fe80::1", port: "80" }));
});

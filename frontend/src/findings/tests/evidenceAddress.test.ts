import { describe, expect, test } from "vitest";

import { evidenceParameter, lineRuns, parseEvidenceParameter, targetsOf } from "../evidenceAddress";

describe("the evidence parameter", () => {
  test.each([
    { input: "three-interfaces.pcapng", kind: "frame" as const, first: 241, last: 241 },
    { input: "conntrack-E.txt", kind: "line" as const, first: 55, last: 60 },
    { input: "a#l3 odd name.txt", kind: "line" as const, first: 1, last: 1 },
  ])("survives the address: $input", (target) => {
    expect(parseEvidenceParameter(evidenceParameter(target))).toEqual(target);
  });

  test.each([undefined, "", "file.pcap", "file.pcap#x1", "#f1", "file.pcap#f"])("refuses %s", (text) => {
    expect(parseEvidenceParameter(text)).toBeNull();
  });
});

test("neighbouring lines become one run", () => {
  expect(lineRuns([6, 4, 5, 9])).toEqual([
    { first: 4, last: 6 },
    { first: 9, last: 9 },
  ]);
});

test("a place named twice is linked once", () => {
  const frame = { input: "a.pcap", frames: [7], lines: [], note: "" };
  expect(targetsOf([frame, frame])).toHaveLength(1);
});

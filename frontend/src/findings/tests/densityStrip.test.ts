import { expect, test } from "vitest";

import type { Timeline, TimelineMark } from "../../api/types";
import { packetColumns, ticksOf } from "../DensityStrip";

function timeline(changes: Partial<Timeline>): Timeline {
  return {
    t0: "0", span: { from: 0, to: 100 }, from: 0, to: 100, bucket_ns: 10, mode: "density", lanes: [], packets: [],
    marks: [], marks_total: 0, complete_until_ns: null, gaps: [], lanes_left: { lanes: 0, findings: 0 }, ...changes,
  };
}

function lane(start: number[], packets: number[]): Timeline["lanes"][number] {
  return {
    id: "a#0", name: "eth0", role: "uplink", captured: true, note: "", first: 0, last: 100, packets_total: 9, findings: [],
    start, packets, bytes: [], syns: [],
  };
}

test("packets of all lanes add up, the last one inside", () => {
  expect(packetColumns(timeline({ lanes: [lane([0, 50], [3, 1]), lane([0, 100], [2, 5])] }), 4)).toEqual([5, 0, 1, 5]);
});

test("a window served as packets is counted the same way", () => {
  const packet = { lane: "a#0", frame: 1, input: "a", what: "SYN", src: "", dst: "", len: 60, cid: null, group: null };
  const packets = [{ ...packet, t: 0 }, { ...packet, t: 99 }];
  expect(packetColumns(timeline({ mode: "packets", packets }), 2)).toEqual([1, 1]);
});

test("ordinary marks do not hide trouble", () => {
  const mark: TimelineMark = {
    id: "1", glyph: "missing", role: "loss", basis: "seen", t: 5, t_end: null, lanes: [], label: "", finding: "f",
    instance: 1, evidence: [], count: null, value: null,
  };
  const marks = [mark, { ...mark, glyph: "instant" as const, role: "neutral" as const }];
  expect(ticksOf(timeline({ marks }))).toEqual([{ t: 5, role: "loss" }]);
});

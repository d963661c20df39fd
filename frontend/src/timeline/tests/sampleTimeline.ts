/** A small timeline made by hand for the tests of this folder. */
import type { Timeline, TimelineLane, TimelineMark } from "../../api/types";

export function sampleLane(changes: Partial<TimelineLane> & { id: string }): TimelineLane {
  return {
    name: changes.id, role: "bridge", captured: true, note: "", first: 0, last: 2_000_000_000, packets_total: 10, findings: [],
    start: [0, 1_000_000], packets: [4, 8], bytes: [400, 800], syns: [1, 0], ...changes,
  };
}

export function sampleMark(changes: Partial<TimelineMark> & { id: string }): TimelineMark {
  return {
    glyph: "instant", role: "neutral", basis: "seen", t: 0, t_end: null, lanes: ["near"], label: "SYN",
    finding: "one", instance: 1, evidence: [{ input: "a.pcap", frames: [1], lines: [], note: "" }], count: null, value: null, ...changes,
  };
}

export function sampleTimeline(changes: Partial<Timeline> = {}): Timeline {
  return {
    t0: "1795223503486947163", span: { from: 0, to: 2_000_000_000 }, from: 0, to: 2_000_000_000, bucket_ns: 1_000_000,
    mode: "density", packets: [], marks_total: 0, complete_until_ns: null, gaps: [], lanes_left: { lanes: 0, findings: 0 },
    lanes: [sampleLane({ id: "near" }), sampleLane({ id: "blind", captured: false, first: null, last: null, packets_total: 0, start: [] }), sampleLane({ id: "far" })],
    marks: [
      sampleMark({ id: "m1", t: 100 }),
      sampleMark({ id: "m2", t: 100, glyph: "missing", role: "loss", lanes: ["far"] }),
      sampleMark({ id: "m3", t: 1_000_000_100, glyph: "repeat", role: "loss" }),
      sampleMark({ id: "m4", t: 1_000_000_000, glyph: "guide", lanes: [], value: 0.1 }),
      sampleMark({ id: "p1", t: 90, t_end: 100, glyph: "pair", role: "collision", finding: "two", basis: "inferred" }),
      sampleMark({ id: "q1", t: 500_000_000, finding: "two", instance: 2, evidence: [{ input: "a.pcap", frames: [77], lines: [], note: "" }] }),
    ],
    ...changes,
  };
}

import { describe, expect, it } from "vitest";

import { chooseFolds, foldedRequest, foldWords, shortestGap, trafficIn } from "../folds";
import { foldedAxis } from "../timeAxis";
import { requestFor } from "../timeWindow";
import { sampleLane, sampleMark, sampleTimeline } from "./sampleTimeline";

const W = { fromNs: 0, durationNs: 10_000 };
const SPAN = { from: 0, to: 100_000 };

describe("a gap is folded", () => {
  it("when it is longer than a fifth of the window, and not at exactly that", () => {
    expect(chooseFolds([{ from: 1_000, to: 3_000 }], [], W)).toEqual([]);
    expect(chooseFolds([{ from: 1_000, to: 3_001 }], [], W)).toHaveLength(1);
  });

  it("but for 2 % at each end, so that marks do not stand at its edge", () => {
    expect(chooseFolds([{ from: 1_000, to: 6_000 }], [], W)).toEqual([{ from: 1_100, to: 5_900 }]);
  });

  it("unless the whole window lies in it: then it is what one looks at", () => {
    expect(chooseFolds([{ from: 0, to: 10_000 }], [], W)).toEqual([]);
    expect(chooseFolds([{ from: 1, to: 10_000 }], [], W)).toHaveLength(1);
    expect(chooseFolds([{ from: 0, to: 9_999 }], [], W)).toHaveLength(1);
  });

  it("up to the tolerance of a guide and to both ends of a note, which the page alone draws", () => {
    const guide = sampleMark({ id: "g", glyph: "guide", t: 5_000, value: 0.000_000_5, lanes: [] });
    expect(chooseFolds([{ from: 0, to: 9_000 }], [guide], W)).toEqual([{ from: 90, to: 4_410 }, { from: 5_570, to: 8_930 }]);
    const note = sampleMark({ id: "n", glyph: "note", t: 3_000, t_end: 6_000, finding: "" });
    expect(chooseFolds([{ from: 0, to: 9_000 }], [note], W)).toHaveLength(3);
  });
});

it("asks for every gap that a window of the same request may fold", () => {
  const request = requestFor(W, 1000, SPAN, null);
  for (const durationNs of [5_001, 10_000]) {
    expect(requestFor({ fromNs: 0, durationNs }, 1000, SPAN, request)).toBe(request);
    expect(shortestGap(request, 1000)).toBeLessThanOrEqual(durationNs * 0.2);
  }
});

describe("what lies in a fold is told", () => {
  const lane = sampleLane({ id: "near", start: [0, 1_000, 2_000, 3_000], packets: [5, 7, 11, 13] });
  const timeline = sampleTimeline({ from: 0, to: 10_000, bucket_ns: 1_000, lanes: [lane] });

  it("about, where buckets were counted, and exactly none where no bucket reaches in", () => {
    expect(foldWords({ from: 1_000, to: 3_000 }, trafficIn({ from: 1_000, to: 3_000 }, [timeline]))).toBe("2 µs without marks, about 18 packets");
    expect(foldWords({ from: 4_000, to: 9_000 }, trafficIn({ from: 4_000, to: 9_000 }, [timeline]))).toBe("5 µs without marks, no packets");
  });

  it("never as none where a bucket does reach in", () => {
    expect(trafficIn({ from: 3_900, to: 9_000 }, [timeline])).toEqual({ packets: 0, exact: false });
    expect(foldWords({ from: 3_900, to: 9_000 }, trafficIn({ from: 3_900, to: 9_000 }, [timeline]))).not.toContain("no packets");
  });

  it("from the timeline that covers it, exactly where packets are known", () => {
    const packet = { t: 5_000, lane: "near", frame: 1, input: "a.pcap", what: "ACK", src: "", dst: "", len: 60, cid: null, group: null };
    const close = sampleTimeline({ from: 4_000, to: 8_000, mode: "packets", packets: [packet], lanes: [] });
    expect(trafficIn({ from: 4_500, to: 7_000 }, [close, timeline])).toEqual({ packets: 1, exact: true });
    expect(trafficIn({ from: 500, to: 2_800 }, [close, timeline])).toEqual({ packets: 18, exact: false });
  });
});

describe("the request for what is not folded", () => {
  const folds = [{ from: 1_000, to: 9_000 }];
  const axis = foldedAxis(W, 1000, folds);
  const request = foldedRequest(axis, SPAN, null);

  it("leaves the folds out and is as fine as what is drawn", () => {
    expect(request.fold).toBe("1000~9000");
    expect((request.to - request.from - 8_000) / request.px).toBeCloseTo(axis.nsPerPx, 0);
  });

  it("is kept for the same window, and made anew when a fold ends or the detail changes", () => {
    expect(foldedRequest(axis, SPAN, request)).toBe(request);
    expect(foldedRequest(foldedAxis(W, 1000, [{ from: 1_000, to: 5_000 }]), SPAN, request)).not.toBe(request);
    expect(foldedRequest(foldedAxis({ fromNs: 800, durationNs: 8_300 }, 1000, folds), SPAN, request)).not.toBe(request);
  });
});

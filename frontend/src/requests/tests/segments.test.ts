/** What a waterfall says adds up, and is said in words. */
import { expect, test } from "vitest";

import type { HttpRequest, RequestDetail, RequestGroup, Segment } from "../../api/requests";
import { calleeWords, costlierKind, costSentence, examplesOf, placeBars, sharesOf, sumOf } from "../segments";

const segment = (kind: Segment["kind"], after_ms: number, length_ms: number, counted_ms = length_ms): Segment => ({
  kind, name: kind, line: "", basis: "seen", after_ms, length_ms, counted_ms, status: null, input: null, first_frame: null, last_frame: null, withheld: "",
});

const detail = (segments: Segment[], gap_ms = 0, costliest = "metadata"): RequestDetail => ({
  request: {} as HttpRequest, segments, total_ms: sumOf(segments) + gap_ms, gap_ms, costliest, fast_rid: null,
});

test("bars lie within the whole, moved by half of the gap", () => {
  const bars = placeBars(detail([segment("own", 0, 40), segment("metadata", 40, 50)], 10));
  expect(bars.map((bar) => [bar.left, bar.width])).toEqual([[5, 40], [45, 50]]);
});

test("a request without an end has no bars", () => {
  expect(placeBars({ ...detail([]), total_ms: null })).toEqual([]);
  expect(costSentence({ ...detail([]), total_ms: null, costliest: "" })).toBeNull();
});

test("one sentence says what cost most", () => {
  expect(costSentence(detail([segment("own", 0, 20), segment("metadata", 20, 30), segment("metadata", 50, 50)]))).toBe("2 metadata calls cost most: 80.0 of 100 ms (80 %)");
  expect(costSentence(detail([segment("own", 0, 1), segment("dns", 1, 9)], 0, "dns"))).toBe("1 DNS lookup cost most: 9.00 of 10.0 ms (90 %)");
  expect(costSentence(detail([segment("own", 0, 2)], 0, "own"))).toBe("own processing cost most: 2.00 of 2.00 ms (100 %)");
});

const GROUP: RequestGroup = {
  shape: 0, request: "GET /v1", line: "GET /v1", responder: "10.0.0.1", basis: "seen", count: 3, sum_ms: 30, total_p50_ms: 10, total_p90_ms: 12, total_p95_ms: 12, total_p99_ms: 12, total_max_ms: 12, metadata_p50_ms: 6, dns_p50_ms: 0,
  calls_p50_ms: 3, own_p50_ms: 1, wait_p50_ms: 9, fastest: 4, median: 5, slowest: 6,
  callees: [{ kind: "metadata", name: "role", count: 1 }, { kind: "metadata", name: "credentials", count: 1 }, { kind: "calls", name: "POST x", count: 2 }],
};

test("a group says how many calls of each kind it makes", () => {
  expect(calleeWords(GROUP).map((callee) => `${callee.words}: ${callee.names}`)).toEqual(["2 metadata calls: role, credentials", "2 upstream calls: POST x × 2"]);
});

test("its shares leave out what takes nothing; where the server was not seen there is the wait alone", () => {
  expect(sharesOf(GROUP).map((share) => share.kind)).toEqual(["metadata", "calls", "own"]);
  expect(sharesOf({ ...GROUP, shape: null })).toEqual([{ kind: "wait", ms: 9 }]);
});

test("examples that are one request are shown once", () => {
  expect(examplesOf(GROUP).map((example) => example.words)).toEqual(["fastest", "median", "slowest"]);
  expect(examplesOf({ ...GROUP, median: 4 })).toEqual([{ rid: 4, words: "fastest and median" }, { rid: 6, words: "slowest" }]);
  expect(examplesOf({ ...GROUP, median: 4, slowest: 4 })).toEqual([{ rid: 4, words: "the only one" }]);
});

test("the part that differs most from a fast request is named with both times", () => {
  const slow = detail([segment("metadata", 0, 90), segment("own", 90, 10)]);
  const fast = detail([segment("metadata", 0, 1), segment("own", 1, 12)]);
  expect(costlierKind(slow, fast)).toEqual({ kind: "metadata", sentence: "metadata calls, 90.0 ms against 1.00 ms" });
  expect(costlierKind(fast, fast)).toBeNull();
});

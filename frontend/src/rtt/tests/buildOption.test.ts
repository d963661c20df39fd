/** The chart's option, its scale and its words: pure functions, tested without a canvas. */
import { expect, test } from "vitest";

import type { HeldGroup, RoundTripSeries } from "../../api/roundTrips";
import type { Tokens } from "../../timeline/tokens";
import { buildOption, groupsOf, type RttContent, type RttView } from "../buildOption";
import { axisTicks, chooseScale, chooseScales, layoutPanels, place, sampleAt, unitOf } from "../scale";
import { expectedOnsets, fallsOf, periodOf, typicalWays, waysOf } from "../words";

const MS = 1_000_000;
const byRole = { loss: "#l", stall: "#s", burst: "#b", collision: "#c", ok: "#o", neutral: "#n" };
const TOKENS: Tokens = { surface: "#0", text: "#1", textDim: "#2", line: "#3", roles: byRole, roleTexts: byRole };

function seriesOf(id: string, nearest: boolean): RoundTripSeries {
  return {
    id, prober: "10.0.0.1", responder: "10.0.0.2", vantage: `${id}.pcap#0`, input: `${id}.pcap`, nearest, printed: false, shown: true, samples: 4, in_window: 4,
    held: 2, longest_ms: 80, usual_ms: 0.1, kinds: ["ICMP echo", "SYN"],
    points: { sid: [0, 1, 2, 3], t: [0, 10 * MS, 20 * MS, 100 * MS], rtt_ms: [0.1, 80, 70, 0.2], kind: [0, 0, 1, 1], group: [-1, 0, 0, -1], sent_frame: [1, 3, 5, 7], answer_frame: [2, 4, 6, 8] },
    ranges: { t: [], count: [], low_ms: [], middle_ms: [], high_ms: [] },
  };
}

const GROUP: HeldGroup = {
  finding: "f", instance: 1, prober: "10.0.0.1", responder: "10.0.0.2", t: 10 * MS, t_last_sent: 20 * MS, t_end: 90 * MS, samples: 2, longest_ms: 80,
  kinds: ["ICMP echo"], slope: -1, answers_within_ms: 0.1, flows_stalled: 1, flows_unaffected: 0, direction: "request path",
};
const W = { fromNs: 0, durationNs: 200 * MS };

function viewOf(changes: Partial<RttView> = {}): RttView {
  const series = [seriesOf("near", true), seriesOf("far", false)];
  return { window: W, geometry: layoutPanels(series, 1000, chooseScales("linear", series, W)), selected: null, current: null, guides: true, ...changes };
}

const CONTENT: RttContent = { kinds: ["ICMP echo", "SYN"], groupNames: ["f~1"], groups: [GROUP], bucketNs: MS };
const idsOf = (view: RttView) => buildOption(view, CONTENT, TOKENS).series.map((each) => each.id);

test("each series has a panel of its own on one time axis", () => {
  const option = buildOption(viewOf(), CONTENT, TOKENS);
  expect(option.grid).toHaveLength(2);
  expect(option.xAxis.map((axis) => [axis.min, axis.max])).toEqual([[0, 200 * MS], [0, 200 * MS]]);
  expect((option.grid[1]?.top ?? 0) > (option.grid[0]?.top ?? 0) + (option.grid[0]?.height ?? 0)).toBe(true);
});

test("held samples are a series of their own, in the hue of a stall, and every sample is in exactly one", () => {
  const scatters = buildOption(viewOf(), CONTENT, TOKENS).series.filter((each) => each.type === "scatter" && String(each.id).startsWith("near"));
  expect(scatters.map((each) => each.id)).toEqual(["near-0-free", "near-0-held", "near-1-free", "near-1-held"]);
  expect(scatters.reduce((sum, each) => sum + each.data.length, 0)).toBe(4);
});

test("slope guides are drawn where the prober's side was seen, and can be turned off", () => {
  const slopes = (view: RttView) => buildOption(view, CONTENT, TOKENS).series.filter((each) => String(each.id).endsWith("-slopes")).map((each) => each.data.length);
  expect(slopes(viewOf())).toEqual([1, 0]);
  expect(slopes(viewOf({ guides: false }))).toEqual([0, 0]);
  expect(idsOf(viewOf())).toEqual(idsOf(viewOf({ guides: false })));
});

test("a slope guide falls by one millisecond per millisecond to the group's end", () => {
  const view = viewOf();
  const slopes = buildOption(view, CONTENT, TOKENS).series.find((each) => each.id === "near-slopes");
  const shape = slopes && "renderItem" in slopes ? slopes.renderItem({ dataIndex: 0 }, { coord: ([t]) => [(t / W.durationNs) * 1000] }) : undefined;
  const points = (shape?.shape?.points ?? []) as [number, number][];
  const panel = view.geometry.panels[0];
  if (panel === undefined) throw new Error("no panel");
  expect(points[0]?.[1]).toBeCloseTo(panel.top + panel.height * (1 - place(panel.scale, 80)), 6);
  expect(points.at(-1)?.[1]).toBeCloseTo(panel.top + panel.height, 6);
});

test("only groups between the hosts of a series and in the window are its own", () => {
  const series = seriesOf("near", true);
  expect(groupsOf(series, [GROUP], W)).toHaveLength(1);
  expect(groupsOf(series, [{ ...GROUP, responder: "10.0.0.3" }], W)).toHaveLength(0);
  expect(groupsOf(series, [GROUP], { fromNs: 91 * MS, durationNs: MS })).toHaveLength(0);
});

test("a band is hatched where there is room", () => {
  const bands = buildOption(viewOf(), CONTENT, TOKENS).series.find((each) => each.id === "near-bands");
  const drawn = (px: number) => (bands && "renderItem" in bands ? bands.renderItem({ dataIndex: 0 }, { coord: ([t]) => [(t / W.durationNs) * px] })?.children?.filter((child) => child.type === "line").length : 0);
  expect(drawn(1000)).toBeGreaterThan(10);
  expect(drawn(10)).toBe(0);
});

test("scales: linear from zero, logarithmic in decades, ticks in ms without repeats", () => {
  const series = [seriesOf("near", true)];
  const linear = chooseScale("linear", series, W);
  const log = chooseScale("log", series, W);
  expect([place(linear, 0), place(log, log.low), place(log, log.high)]).toEqual([0, 0, 1]);
  expect([log.low, log.high]).toEqual([0.1, 100]);
  expect(axisTicks(log).map((tick) => tick.label)).toEqual(["0.1", "1", "10", "100"]);
  expect(axisTicks(linear).map((tick) => tick.label)).toEqual(["0", "50"]);
  expect(chooseScale("linear", series, { fromNs: 0, durationNs: MS }).high).toBeCloseTo(0.106);
});

test("a fast pair of hosts has an axis of its own, in microseconds", () => {
  const slow = seriesOf("near", true);
  const fast = seriesOf("other", true);
  const pair = { ...fast, responder: "10.0.0.9", points: { ...fast.points, rtt_ms: [0.1, 0.12, 0.2, 0.15] } };
  const [own, shared, quick] = chooseScales("linear", [slow, seriesOf("far", false), pair], W);
  if (!own || !quick) throw new Error("no scale");
  expect(shared).toEqual(own);
  expect([unitOf(own), unitOf(quick)]).toEqual(["ms", "µs"]);
  expect(quick.high).toBeLessThan(0.25);
  expect(axisTicks(quick).map((tick) => tick.label)).toEqual(["0", "100", "200"]);
});

test("the sample under the pointer is the nearest, and none far away", () => {
  const { geometry } = viewOf();
  const panel = geometry.panels[1];
  if (panel === undefined) throw new Error("no panel");
  const y = panel.top + panel.height * (1 - place(panel.scale, 80));
  expect(sampleAt(geometry, W, 52, y + 2)).toEqual({ panel, at: 1 });
  expect(sampleAt(geometry, W, 300, y)).toBeNull();
});

const sample = (sent_ms: number, rtt_ms: number, there_ms: number | null) => ({
  sid: 0, sent_ns: String(sent_ms * MS), at_ns: String(sent_ms * MS), rtt_ms, kind: "ICMP echo", prober: "a", prober_port: 0, responder: "b", responder_port: 0, input: "a.pcap", vantage: "a.pcap#0",
  sent_frame: 1, answer_frame: 2, finding: "f", instance: 1, printed: false,
  elsewhere: [{ vantage: "b.pcap#0", input: "b.pcap", sent_frame: 1, answer_frame: 2, rtt_ms: 0.5, there_ms }],
});

test("both ends: request path, beyond and return path add up to the round trip; unknown clocks tell nothing", () => {
  expect(waysOf(sample(0, 88, 87))).toEqual({ there: 87, at: 0.5, back: 0.5 });
  expect(waysOf(sample(0, 88, null))).toBeNull();
  expect(typicalWays([sample(0, 88, null)])).toBeNull();
});

test("falls are told beside the interval of sending, from three samples on", () => {
  const samples = [sample(0, 127, 1), sample(10, 117, 1), sample(20, 107, 1)];
  expect(fallsOf(samples)).toEqual([{ kind: "ICMP echo", samples: 3, interval_ms: 10, fall_ms: 10 }]);
  expect(fallsOf(samples.slice(0, 2))).toEqual([]);
});

test("a period is told with its significance, and its absence as well", () => {
  const finding = (measures: Record<string, unknown>) => ({ measures }) as unknown as Parameters<typeof periodOf>[0];
  expect(periodOf(finding({ period_s: 1.5, period_p_value: 0.00001 }), 9)?.words).toBe("9 onsets, one every 1.5 s, by chance in less than 0.1 % of cases");
  expect(periodOf(finding({ period_s: null }), 9)?.words).toContain("no fixed period");
  expect(periodOf(finding({}), 9)).toBeNull();
  expect(expectedOnsets(5e8, 1, 0, 3e9)).toEqual([5e8, 15e8, 25e8]);
});

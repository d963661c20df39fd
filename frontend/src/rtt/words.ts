/** What the page says of series, groups and periods. */
import type { HeldGroup, RoundTrip, RoundTripChart, RoundTripSeries } from "../api/roundTrips";
import type { Finding } from "../api/types";
import { count, percent, plural } from "../format/quantity";
import { stretch } from "../format/offset";
import { groupName } from "./buildOption";

const NS_PER_S = 1e9;

export function ms(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return `${count(Math.round(value))} ms`;
  return `${value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3)} ms`;
}

export const pairWords = (of: { prober: string; responder: string }): string => `${of.prober || "prober"} → ${of.responder}`;

/** Where it was seen. */
export function placeWords(series: RoundTripSeries): string {
  if (series.printed) return `as listed in ${series.input}`;
  return `captured at ${series.input}${series.nearest ? "" : ", farther from the client"}`;
}

export function detailWords(chart: RoundTripChart): string {
  const drawn = chart.series.filter((series) => series.shown);
  const total = drawn.reduce((sum, series) => sum + series.in_window, 0);
  if (chart.mode === "samples") return `1 mark = 1 round trip · ${plural(total, "sample")}`;
  const bars = drawn.reduce((sum, series) => sum + series.ranges.t.length, 0);
  const each = bars ? `, about ${plural(Math.max(1, Math.round(total / bars)), "sample")}` : "";
  return `1 bar = ${stretch(chart.bucket_ns)}${each}, min to max with the median · delayed samples individually`;
}

export interface Period {
  period_s: number | null;
  words: string;
}

/** What a finding says of how regularly its groups begin; null where it says nothing. */
export function periodOf(finding: Finding, groups: number): Period | null {
  const { period_s: period, period_p_value: chance } = finding.measures;
  // A single onset has no period.
  if (!("period_s" in finding.measures) || groups < 2) return null;
  if (typeof period !== "number") return { period_s: null, words: `${plural(groups, "onset")}, no fixed period: irregular onsets` };
  const odds = typeof chance === "number" ? `, by chance in ${percent(chance)} of cases` : "";
  return { period_s: period, words: `${plural(groups, "onset")}, one every ${Number(period.toPrecision(4))} s${odds}` };
}

/** Expected onsets between two times: whole periods from the first onset. */
export function expectedOnsets(firstNs: number, period_s: number, fromNs: number, toNs: number): number[] {
  const step = period_s * NS_PER_S;
  const most = 400;
  const first = Math.ceil((fromNs - firstNs) / step);
  const last = Math.floor((toNs - firstNs) / step);
  if (last - first > most) return [];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => firstNs + (first + n) * step);
}

export interface Falls {
  kind: string;
  interval_ms: number;
  fall_ms: number;
  samples: number;
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const LEAST = 3;

/** By how much round trips fall from one probe to the next, beside the interval at which they were sent. */
export function fallsOf(samples: readonly RoundTrip[]): Falls[] {
  const flows = new Map<string, RoundTrip[]>();
  for (const sample of samples) {
    const key = `${sample.kind} to port ${sample.responder_port}`;
    flows.set(key, [...(flows.get(key) ?? []), sample]);
  }
  return [...flows.values()].flatMap((of) => {
    const [first] = of;
    if (first === undefined || of.length < LEAST) return [];
    const steps = of.slice(1).map((sample, at) => {
      const before = of[at] ?? sample;
      return { interval: Number(BigInt(sample.sent_ns) - BigInt(before.sent_ns)) / 1e6, fall: before.rtt_ms - sample.rtt_ms };
    });
    return [{ kind: first.responder_port ? `${first.kind} to port ${first.responder_port}` : first.kind, samples: of.length, interval_ms: median(steps.map((s) => s.interval)), fall_ms: median(steps.map((s) => s.fall)) }];
  });
}

export const findGroup = (groups: readonly HeldGroup[], name: string | null): HeldGroup | null =>
  groups.find((group) => groupName(group) === name) ?? null;

/** Where a question stood still, by what two capture points saw of it. */
export interface Ways {
  there: number;
  at: number;
  back: number;
}

/** Null where only one end was seen, or clocks cannot be compared. */
export function waysOf(sample: RoundTrip): Ways | null {
  const far = sample.elsewhere?.at(-1);
  if (far === undefined || far.there_ms === null) return null;
  return { there: far.there_ms, at: far.rtt_ms, back: sample.rtt_ms - far.there_ms - far.rtt_ms };
}

/** Medians over samples that both ends saw, and how many those are. */
export function typicalWays(samples: readonly RoundTrip[]): (Ways & { samples: number }) | null {
  const known = samples.flatMap((sample) => waysOf(sample) ?? []);
  if (known.length === 0) return null;
  const of = (part: keyof Ways): number => median(known.map((ways) => ways[part]));
  return { there: of("there"), at: of("at"), back: of("back"), samples: known.length };
}

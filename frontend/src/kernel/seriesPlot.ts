/** Counters and gauges over time as lines to draw, and as differences to read. Pure. */
import type { DumpSeries, KernelDump, SeriesPoint } from "../api/types";

export interface TimeRange {
  from_ns: bigint;
  to_ns: bigint;
}

export interface Dot {
  /** 0 to 1 of the width, and of the height from below. */
  x: number;
  y: number;
  point: SeriesPoint;
}

export interface Plot {
  series: DumpSeries;
  dots: Dot[];
  low: number;
  high: number;
}

/** Plots of one thing, over one time axis. */
export interface PlotGroup {
  key: string;
  title: string;
  kind: string;
  plots: Plot[];
}

const timesOf = (series: DumpSeries): bigint[] => series.points.flatMap((point) => (point.time_ns === null ? [] : [BigInt(point.time_ns)]));

/** From the first to the last dump with a time; null without two of them. */
export function timeRange(all: readonly DumpSeries[]): TimeRange | null {
  const times = all.flatMap(timesOf).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [from_ns, to_ns] = [times[0], times.at(-1)];
  return from_ns === undefined || to_ns === undefined || from_ns === to_ns ? null : { from_ns, to_ns };
}

export function changes(series: DumpSeries): boolean {
  return series.points.some((point) => point.value !== series.points[0]?.value);
}

/** What changed, grouped by what it is of: the whole before its parts, each in the API's order. */
export function plotGroups(all: readonly DumpSeries[], range: TimeRange): PlotGroup[] {
  const groups = new Map<string, PlotGroup>();
  for (const series of all) {
    if (!changes(series) || timesOf(series).length < 2) continue;
    const key = [series.kind, series.host, series.subject].join("|");
    const title = [series.subject || series.kind, series.host].filter(Boolean).join(" · ");
    const group = groups.get(key) ?? { key, title, kind: series.kind, plots: [] };
    group.plots.push(plotOf(series, range));
    groups.set(key, group);
  }
  // Single things say more than sums over the machine.
  return [...groups.values()].sort((a, b) => Number(isOfMachine(a)) - Number(isOfMachine(b)));
}

const isOfMachine = (group: PlotGroup): boolean => group.plots.every((plot) => plot.series.subject === "");

export function plotOf(series: DumpSeries, range: TimeRange): Plot {
  const values = series.points.map((point) => point.value);
  // A counter is drawn from where it began: how much it was before is of no interest.
  const low = series.nature === "counter" ? Math.min(...values) : Math.min(0, ...values);
  const high = Math.max(low + 1, ...values);
  const length = Number(range.to_ns - range.from_ns);
  const dots = series.points.flatMap((point) =>
    point.time_ns === null ? [] : [{ x: Number(BigInt(point.time_ns) - range.from_ns) / length, y: (point.value - low) / (high - low), point }],
  );
  return { series, dots, low, high };
}

/** A gauge is a line between what was seen; a counter a staircase: when in between it rose is not known. */
export function linePath(plot: Plot, width_px: number, height_px: number): string {
  const place = (dot: Dot) => ({ x: (dot.x * width_px).toFixed(1), y: ((1 - dot.y) * height_px).toFixed(1) });
  return plot.dots
    .map((dot, at) => {
      const { x, y } = place(dot);
      if (at === 0) return `M${x} ${y}`;
      return plot.series.nature === "counter" ? `H${x}V${y}` : `L${x} ${y}`;
    })
    .join("");
}

/** Counters of one kind and host, compared from the first dump to the last. */
export interface DeltaTable {
  key: string;
  kind: string;
  host: string;
  dumps: number;
  order: DumpSeries["order"];
  cpus: string[];
  changed: DumpSeries[];
  unchanged: DumpSeries[];
}

/** Rises by kind and host; what rose most comes first. */
export function deltaTables(all: readonly DumpSeries[]): DeltaTable[] {
  const tables = new Map<string, DeltaTable>();
  for (const series of all.filter((each) => each.nature === "counter" && each.subject === "")) {
    const key = `${series.kind}|${series.host}`;
    const table = tables.get(key) ?? { key, kind: series.kind, host: series.host, dumps: 0, order: series.order, cpus: [], changed: [], unchanged: [] };
    (series.rise === 0 ? table.unchanged : table.changed).push(series);
    table.dumps = Math.max(table.dumps, series.points_total);
    tables.set(key, table);
  }
  for (const table of tables.values()) {
    table.cpus = [...new Set(table.changed.flatMap((series) => Object.keys(series.rise_per_cpu)))].sort((a, b) => Number(a) - Number(b));
    table.changed.sort((a, b) => (b.rise ?? Infinity) - (a.rise ?? Infinity));
  }
  return [...tables.values()];
}

/** Dumps of one text: usually one, or a series of them. */
export interface DumpText {
  input: string;
  dumps: KernelDump[];
}

export function textsOf(dumps: readonly KernelDump[]): DumpText[] {
  const texts = new Map<string, KernelDump[]>();
  for (const dump of dumps) texts.set(dump.input, [...(texts.get(dump.input) ?? []), dump]);
  return [...texts].map(([input, each]) => ({ input, dumps: each }));
}

/** `<input>~<number>` of the address; the first dump where it names none. */
export function chosenDump(dumps: readonly KernelDump[], parameter: string | undefined): KernelDump | undefined {
  const cut = (parameter ?? "").lastIndexOf("~");
  const input = cut < 0 ? "" : (parameter ?? "").slice(0, cut);
  const number = Number((parameter ?? "").slice(cut + 1));
  return dumps.find((dump) => dump.input === input && dump.number === number) ?? dumps[0];
}

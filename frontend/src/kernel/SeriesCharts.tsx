/** Sizes, rates and counters over time: what is of one thing shares a time axis. Plain SVG. */
import { useState } from "react";

import type { DumpSeries, SeriesPoint } from "../api/types";
import { EvidenceLink } from "../findings/EvidenceLinks";
import { wallClock } from "../format/instant";
import { zoneWord } from "../format/zone";
import { count, duration, plural } from "../format/quantity";
import { changes, linePath, plotGroups, timeRange, type Dot, type Plot, type PlotGroup, type TimeRange } from "./seriesPlot";

const WIDTH_PX = 800;
const HEIGHT_PX = 54;
const SHOWN_AT_FIRST = 4;

export function SeriesCharts({ series }: { series: readonly DumpSeries[] }) {
  const [all, setAll] = useState(false);
  const range = timeRange(series);
  if (range === null) return null;
  const groups = plotGroups(series, range);
  const still = series.filter((each) => !changes(each));
  return (
    <section aria-label="Over time" className="kernel-section" data-testid="series-charts">
      <h2>Over time</h2>
      {groups.slice(0, all ? undefined : SHOWN_AT_FIRST).map((group) => <Group key={group.key} group={group} range={range} />)}
      {!all && groups.length > SHOWN_AT_FIRST && (
        <button type="button" className="button" onClick={() => setAll(true)}>Show {count(groups.length - SHOWN_AT_FIRST)} more</button>
      )}
      {still.length > 0 && <p className="dim">{plural(still.length, "value")} stayed the same in all dumps.</p>}
    </section>
  );
}

function Group({ group, range }: { group: PlotGroup; range: TimeRange }) {
  return (
    <figure className="card panel series-group" data-testid="series-group">
      <figcaption><h3>{group.title}</h3> <span className="dim">{group.kind}</span></figcaption>
      {group.plots.map((plot) => <PlotRow key={plot.series.name} plot={plot} range={range} />)}
      <div className="series-scale dim">
        <span>{wallClock(String(range.from_ns), 0, 3)}</span>
        <span>{duration(Number(range.to_ns - range.from_ns) / 1e9)}</span>
        <span>{wallClock(String(range.to_ns), 0, 3)} {zoneWord()}</span>
      </div>
    </figure>
  );
}

function PlotRow({ plot, range }: { plot: Plot; range: TimeRange }) {
  const [at, setAt] = useState<SeriesPoint | null>(null);
  const { series } = plot;
  const words = `${series.name}: ${series.nature === "counter" && series.rise !== null ? `rose by ${count(series.rise)}` : `${count(Math.min(...series.points.map((p) => p.value)))} to ${count(plot.high)}`} in ${plural(series.points_total, "dump")}`;
  const shown = at ?? series.points.at(-1) ?? null;
  return (
    <div className="series-row" onPointerLeave={() => setAt(null)}>
      <span className="series-name">{series.name}<small className="dim">{series.nature === "counter" ? "counter" : "as listed"}</small></span>
      <div className="series-plot">
        <svg viewBox={`0 0 ${WIDTH_PX} ${HEIGHT_PX}`} preserveAspectRatio="none" role="img" aria-label={words}>
          <path d={linePath(plot, WIDTH_PX, HEIGHT_PX)} className="series-line" />
        </svg>
        {plot.dots.map((dot) => <DotMark key={`${dot.point.input}:${dot.point.lines[0]}`} dot={dot} active={dot.point === at} onPoint={setAt} />)}
        <span className="series-high dim">{count(plot.high)}</span>
        <span className="series-low dim">{count(plot.low)}</span>
      </div>
      {shown && <Reading point={shown} range={range} />}
    </div>
  );
}

const PERCENT = 100;

function DotMark({ dot, active, onPoint }: { dot: Dot; active: boolean; onPoint: (point: SeriesPoint) => void }) {
  return (
    <i
      className={active ? "series-dot series-dot-active" : "series-dot"} onPointerEnter={() => onPoint(dot.point)}
      style={{ left: `${dot.x * PERCENT}%`, bottom: `${dot.y * PERCENT}%` }}
    />
  );
}

function Reading({ point, range }: { point: SeriesPoint; range: TimeRange }) {
  const lines = { input: point.input, kind: "line" as const, first: Math.min(...point.lines), last: Math.max(...point.lines) };
  const at_s = point.time_ns === null ? "" : ` at +${(Number(BigInt(point.time_ns) - range.from_ns) / 1e9).toFixed(1)} s`;
  return (
    <span className="series-reading">
      <b>{count(point.value)}</b><span className="dim">{at_s}</span> <EvidenceLink target={lines} />
    </span>
  );
}

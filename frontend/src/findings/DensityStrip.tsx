/** When: packets over the whole span as bars, marks as glyph-coloured ticks above them. Plain SVG. */
import { useTimeline } from "../api/queries";
import { useSource } from "../api/source";
import type { Role, Timeline, TimelineMark } from "../api/types";
import { wallClock } from "../format/instant";
import { zoneWord } from "../format/zone";
import { count, duration } from "../format/quantity";
import { Region } from "../ui/Region";
import { RouteLink } from "../ui/RouteLink";
import "./densityStrip.css";

const WIDTH = 640;
const HEIGHT = 76;
const TICKS_HEIGHT = 22;
const BAR_COLUMNS = 213;

/** Packets of all lanes in equal columns over the span. */
export function packetColumns(timeline: Timeline, columns: number): number[] {
  const sums = new Array<number>(columns).fill(0);
  const length = Math.max(1, timeline.span.to - timeline.span.from);
  const add = (t: number, packets: number) => {
    const column = Math.min(columns - 1, Math.max(0, Math.floor(((t - timeline.span.from) / length) * columns)));
    sums[column] = (sums[column] ?? 0) + packets;
  };
  if (timeline.mode === "packets") timeline.packets.forEach((packet) => add(packet.t, 1));
  else timeline.lanes.forEach((lane) => lane.start.forEach((start, at) => add(start, lane.packets[at] ?? 0)));
  return sums;
}

const DRAWN: TimelineMark["glyph"][] = ["missing", "pair", "band", "bracket"];

/** One tick a mark that stands for trouble; neutral marks would hide them. */
export function ticksOf(timeline: Timeline): { t: number; role: Role }[] {
  return timeline.marks
    .filter((mark) => DRAWN.includes(mark.glyph) && mark.role !== "neutral" && mark.role !== "ok")
    .map((mark) => ({ t: mark.t, role: mark.role }));
}

export function DensityStrip() {
  const source = useSource();
  const query = useTimeline({ px: WIDTH });
  return (
    <section className="card panel" aria-label="When">
      <header className="panel-head">
        <h2>When</h2>
        <RouteLink href={`${source.page}/timeline`}>Open timeline</RouteLink>
      </header>
      <Region label="Packets over time" query={query} empty={(data) => (data.lanes.length ? null : "No packets.")}>
        {(timeline) => <Strip timeline={timeline} />}
      </Region>
    </section>
  );
}

function Strip({ timeline }: { timeline: Timeline }) {
  const columns = packetColumns(timeline, BAR_COLUMNS);
  const highest = Math.max(1, ...columns);
  const length = Math.max(1, timeline.span.to - timeline.span.from);
  const x = (t: number) => ((t - timeline.span.from) / length) * WIDTH;
  const ticks = ticksOf(timeline);
  const room = HEIGHT - TICKS_HEIGHT - 4;
  const words = `${count(columns.reduce((a, b) => a + b, 0))} packets in ${duration(length / 1e9)}, ${ticks.length} marks`;
  return (
    <div className="density">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words} preserveAspectRatio="none">
        <path
          className="density-bars"
          d={columns
            .map((packets, column) => {
              const height = (packets / highest) * room;
              return packets ? `M${column * 3 + 1} ${HEIGHT}v${-Math.max(1, height)}h2V${HEIGHT}z` : "";
            })
            .join("")}
        />
        {ticks.map((tick, at) => (
          <Tick key={at} x={x(tick.t)} role={tick.role} />
        ))}
      </svg>
      <div className="density-scale dim">
        <span>{wallClock(timeline.t0, timeline.span.from, 0)}</span>
        <span>{duration(length / 1e9)}</span>
        <span>{wallClock(timeline.t0, timeline.span.to, 0)} {zoneWord()}</span>
      </div>
    </div>
  );
}

const TICKS: Partial<Record<Role, string>> = {
  loss: "M-3.500 5l7 7m0-7l-7 7",
  collision: "M0 1l3.500 3.500-3.500 3.500-3.500-3.500z",
};

function Tick({ x, role }: { x: number; role: Role }) {
  return (
    <g transform={`translate(${x.toFixed(1)} ${role === "loss" ? 5 : 0})`} className={`tick glyph-${role}`}>
      <path d={TICKS[role] ?? "M0 4v14"} />
    </g>
  );
}

/** The finding's own stretch of the timeline, lane by lane; one instance at a time where it has several. */
import { useFindingInstance, useTimeline } from "../api/queries";
import { useSource } from "../api/source";
import type { Finding, Timeline, TimelineMark } from "../api/types";
import { wallClock } from "../format/instant";
import { zoneWord } from "../format/zone";
import { count, duration, plural } from "../format/quantity";
import { RoleGlyph } from "../ui/Glyph";
import { Region } from "../ui/Region";
import { RouteLink, useAddress, useHrefWith } from "../ui/RouteLink";
import { stripLanes, stripWindow, type StripLane, type StripWindow } from "./localStrip";
import "./localStrip.css";

const WIDTH_PX = 1000;
const WHOLE_PX = 640;
const LANE_PX = 34;

/** The instance that the address names, when the finding has it. */
function chosenInstance(finding: Finding, selection: string | undefined): number | null {
  const [id, instance] = (selection ?? "").split("~");
  const number = Number(instance);
  return id === finding.id && Number.isInteger(number) && number >= 1 && number <= finding.instances ? number : null;
}

export function LocalStrip({ finding }: { finding: Finding }) {
  const { parameters } = useAddress();
  const instance = chosenInstance(finding, parameters.sel);
  const whole = useTimeline({ px: WHOLE_PX });
  const chosen = useFindingInstance(finding.id, instance);
  return (
    <section className="card panel" aria-label="When it happened" data-testid="local-strip">
      <Region label="Timeline of the finding" query={whole}>
        {(timeline) => {
          if (instance !== null && !chosen.data) return <Region label="Instance" query={chosen}>{() => <p className="dim">The time of this instance is unknown.</p>}</Region>;
          const window = stripWindow(chosen.data ? [chosen.data.start, chosen.data.end] : [finding.first, finding.last], timeline.t0);
          return window ? <Window finding={finding} instance={instance} window={window} /> : <p className="dim">The finding has no time: its dumps have no timestamps.</p>;
        }}
      </Region>
    </section>
  );
}

function Window({ finding, instance, window }: { finding: Finding; instance: number | null; window: StripWindow }) {
  const { page } = useSource();
  const query = useTimeline({ ...window, px: WIDTH_PX, finding: finding.id });
  const selection = instance === null ? finding.id : `${finding.id}~${instance}`;
  return (
    <>
      <header className="panel-head">
        <h2>When</h2>
        <Walk finding={finding} instance={instance} />
        <RouteLink href={`${page}/timeline?sel=${encodeURIComponent(selection)}&w=${window.from}~${window.to - window.from}`}>Open timeline</RouteLink>
      </header>
      <Region label="Marks" query={query}>
        {(timeline) => <Lanes timeline={timeline} instance={instance} window={window} />}
      </Region>
    </>
  );
}

function Walk({ finding, instance }: { finding: Finding; instance: number | null }) {
  const hrefWith = useHrefWith();
  const last = finding.instances;
  if (last < 2) return null;
  const to = (number: number | null) => hrefWith({ sel: number === null ? null : `${finding.id}~${number}` });
  return (
    <nav className="strip-walk" aria-label="Instances">
      <span>{instance === null ? `all ${count(last)} instances` : `instance ${count(instance)} of ${count(last)}`}</span>
      {instance !== null && instance > 1 && <RouteLink className="button" rel="prev" href={to(instance - 1)}>◂ previous</RouteLink>}
      {(instance ?? 0) < last && <RouteLink className="button" rel="next" href={to((instance ?? 0) + 1)}>{instance === null ? "Show an example" : "next ▸"}</RouteLink>}
      {instance !== null && <RouteLink className="button" href={to(null)}>all</RouteLink>}
    </nav>
  );
}

function Lanes({ timeline, instance, window }: { timeline: Timeline; instance: number | null; window: StripWindow }) {
  // The teeth of a comb stand inside its band, which says the same where all instances are in view.
  const marks = timeline.marks.filter((mark) => (instance === null ? mark.glyph !== "comb" : mark.instance === instance || mark.instance === null));
  const lanes = stripLanes(timeline, marks, window);
  if (!lanes.length) return <p className="dim">No mark of it is on a lane.</p>;
  return (
    <div className="strip">
      {lanes.map((row) => <Lane key={row.lane.id} row={row} />)}
      <div className="strip-scale dim">
        <span>{wallClock(timeline.t0, window.from, 6)}</span>
        <span>{duration((window.to - window.from) / 1e9)}, {plural(marks.length, "mark")}</span>
        <span>{wallClock(timeline.t0, window.to, 6)} {zoneWord()}</span>
      </div>
    </div>
  );
}

function Lane({ row }: { row: StripLane }) {
  const bars = row.bars.map((bar) => `M${(bar.at * WIDTH_PX).toFixed(1)} ${LANE_PX}v${-Math.max(1, bar.height * (LANE_PX - 12)).toFixed(1)}`).join("");
  return (
    <div className="strip-lane">
      <span className="strip-name" title={row.lane.note || row.lane.name}>{row.lane.name}</span>
      <div className="strip-track" role="img" aria-label={`${row.lane.name}: ${plural(row.marks.length, "mark")}`}>
        <svg viewBox={`0 0 ${WIDTH_PX} ${LANE_PX}`} preserveAspectRatio="none" aria-hidden="true"><path d={bars} /></svg>
        {row.marks.map(({ mark, from, to }) => <Mark key={mark.id} mark={mark} from={from} to={to} />)}
      </div>
    </div>
  );
}

const PERCENT = 100;
/** Share of the width below which a span is no wider than a glyph. */
const NARROWEST_SPAN = 0.012;

function Mark({ mark, from, to }: { mark: TimelineMark; from: number; to: number }) {
  const left = `${(from * PERCENT).toFixed(3)}%`;
  const title = `${mark.label || mark.glyph}${mark.basis === "inferred" ? " (inferred)" : ""}`;
  if (to - from > NARROWEST_SPAN && mark.glyph !== "missing") {
    return <i className={`strip-span glyph-${mark.role}`} style={{ left, width: `${((to - from) * PERCENT).toFixed(3)}%` }} title={title} />;
  }
  return <span className="strip-mark" style={{ left }} title={title}><RoleGlyph role={mark.role} size={12} /></span>;
}

/** Lane headers, grid lines, hatching and ruler: HTML, so that it can be read, selected and styled. */
import type { TimelineLane } from "../api/types";
import { count } from "../format/quantity";
import { Plain } from "../glossary/Plain";
import { laneSentence } from "../glossary/plainWords";
import { FINDINGS_HEIGHT, hatchesOf, LANE_HEIGHT, timeToPx, type ChartGeometry } from "./laneLayout";
import type { Tick } from "./ticks";
import type { TimeWindow } from "./timeWindow";

const ROLE_WORDS: Record<TimelineLane["role"], string> = {
  pod: "pod", bridge: "bridge", nat: "translation", uplink: "uplink", host: "host", kernel: "kernel state", unknown: "",
};

/** Nearer to the right edge a label would be cut, so it ends at its tick. */
const LABEL_ROOM_PX = 32;

export function Ruler({ ticks, w, widthPx }: { ticks: Tick[]; w: TimeWindow; widthPx: number }) {
  return (
    <div className="timeline-ruler" data-testid="ruler">
      {ticks.map((tick) => (
        <RulerTick key={tick.t} tick={tick} x={timeToPx(tick.t, w, widthPx)} widthPx={widthPx} />
      ))}
    </div>
  );
}

function RulerTick({ tick, x, widthPx }: { tick: Tick; x: number; widthPx: number }) {
  const transform = x > widthPx - LABEL_ROOM_PX ? "translateX(-100%)" : undefined;
  return (
    <span className="timeline-tick" data-tick={tick.label} style={{ left: x, transform }}>
      {tick.label}
    </span>
  );
}

export function LaneHeaders({ geometry, inWindow }: { geometry: ChartGeometry; inWindow: ReadonlyMap<string, number> }) {
  return (
    <div className="timeline-headers">
      <div className="timeline-header" style={{ height: FINDINGS_HEIGHT }}>
        <span className="timeline-lane-name">Findings</span>
      </div>
      {geometry.rows.map(({ lane, height }) => (
        <div key={lane.id} className="timeline-header" style={{ height }} data-lane={lane.id} title={lane.note || lane.name}>
          <span className="timeline-lane-name">{lane.name}</span>
          <span className="timeline-lane-note">{laneNote(lane, inWindow.get(lane.id))}</span>
          {height === LANE_HEIGHT && <Plain sentence={laneSentence(lane.role)} />}
        </div>
      ))}
    </div>
  );
}

function laneNote(lane: TimelineLane, packets: number | undefined): string {
  if (lane.role === "nat" || lane.role === "kernel") return ROLE_WORDS[lane.role];
  if (!lane.captured) return "not captured";
  return `${ROLE_WORDS[lane.role]}${packets === undefined ? "" : ` · ${count(packets)} packets`}`;
}

interface BackdropProps {
  geometry: ChartGeometry;
  ticks: Tick[];
  w: TimeWindow;
  /** Nothing after this has been decoded yet; null when all has. */
  completeUntil: number | null;
}

export function Backdrop({ geometry, ticks, w, completeUntil }: BackdropProps) {
  const { widthPx } = geometry;
  const undecoded = completeUntil === null ? widthPx : Math.max(timeToPx(completeUntil, w, widthPx), 0);
  return (
    <div className="timeline-backdrop" aria-hidden="true" style={{ width: widthPx, height: geometry.lanesBottom }}>
      {ticks.map((tick) => (
        <i key={tick.t} className="timeline-gridline" style={{ left: timeToPx(tick.t, w, widthPx) }} />
      ))}
      {geometry.rows.map((row) => (
        <div key={row.lane.id} className="timeline-lane" style={{ top: row.top, height: row.height }}>
          {hatchesOf(row.lane, w, widthPx).map((hatch) => (
            <div key={hatch.why} className="timeline-hatch" data-lane={row.lane.id} style={{ left: hatch.leftPx, width: hatch.widthPx }}>
              <span>{row.lane.captured && hatch.widthPx < 260 ? "" : hatch.why}</span>
            </div>
          ))}
        </div>
      ))}
      {undecoded < widthPx && (
        <div className="timeline-hatch timeline-undecoded" style={{ left: undecoded, width: widthPx - undecoded }}>
          <span>not decoded yet</span>
        </div>
      )}
    </div>
  );
}

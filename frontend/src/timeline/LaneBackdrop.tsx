/** Lane headers, grid lines, hatching and ruler: HTML, so that it can be read, selected and styled. */
import type { ReactNode } from "react";

import type { TimelineLane } from "../api/types";
import { count } from "../format/quantity";
import { Plain } from "../glossary/Plain";
import { laneSentence } from "../glossary/plainWords";
import { NameBeside } from "../names/NameBeside";
import { useNameOf } from "../names/NamesProvider";
import { COLLAPSED_GAP, collapsedWords, hatchesOf, LANE_HEIGHT, type ChartGeometry } from "./laneLayout";
import type { Tick } from "./ticks";
import type { TimeAxis } from "./timeAxis";

const ROLE_WORDS: Record<TimelineLane["role"], string> = {
  pod: "pod", bridge: "bridge", nat: "translation", uplink: "uplink", host: "host", kernel: "kernel state", group: "", unknown: "",
};

/** Notes longer than that are told on hover. */
const CONNECTIONS = /^[\d,]+ connections?$/;

/** Nearer to the right edge a label would be cut, so it ends at its tick. */
const LABEL_ROOM_PX = 32;

export function Ruler({ ticks, axis, children }: { ticks: Tick[]; axis: TimeAxis; children?: ReactNode }) {
  return (
    <div className="timeline-ruler" data-testid="ruler">
      {ticks.map((tick) => (
        <RulerTick key={tick.t} tick={tick} x={axis.x(tick.t)} widthPx={axis.widthPx} />
      ))}
      {children}
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

interface LaneHeadersProps {
  geometry: ChartGeometry;
  inWindow: ReadonlyMap<string, number>;
  children?: ReactNode;
}

export function LaneHeaders({ geometry, inWindow, children }: LaneHeadersProps) {
  const nameOf = useNameOf();
  return (
    <div className="timeline-headers">
      <div className="timeline-header" style={{ height: geometry.findingsHeight }}>
        <span className="timeline-lane-name">Findings</span>
      </div>
      {geometry.rows.map(({ lane, height }) => (
        <div key={lane.id} className="timeline-header" style={{ height }} data-lane={lane.id} title={lane.note === "" ? lane.name : `${lane.name}: ${lane.note}`}>
          <span className={`timeline-lane-name${lane.role === "group" ? " timeline-group-name" : ""}`}>{lane.name}</span>
          <NameBeside named={nameOf(lane.name)} />
          <span className="timeline-lane-note">{laneNote(lane, inWindow.get(lane.id))}</span>
          {lane.role === "group" && CONNECTIONS.test(lane.note) && <span className="timeline-lane-note">{lane.note}</span>}
          {!lane.captured && lane.packets_total > 0 && <span className="timeline-lane-note">not captured itself</span>}
          {height >= LANE_HEIGHT && <Plain sentence={laneSentence(lane.role)} />}
        </div>
      ))}
      {children}
    </div>
  );
}

function laneNote(lane: TimelineLane, packets: number | undefined): string {
  if (lane.role === "nat" || lane.role === "kernel") return ROLE_WORDS[lane.role];
  const seen = packets === undefined ? "" : `${count(packets)} packets`;
  if (!lane.captured && lane.packets_total === 0) return "not captured";
  return [ROLE_WORDS[lane.role], seen].filter((words) => words !== "").join(" · ");
}

const LESS = "show the main lanes only";

interface CollapsedProps {
  geometry: ChartGeometry;
  /** Lanes the server kept to itself, and findings about them. */
  left: { lanes: number; findings: number };
  open: boolean;
  toggle: () => void;
}

/** "+7 lanes, 0 findings": lanes that are not shown are counted, with what lies on them. */
export function CollapsedLanes({ geometry, left, open, toggle }: CollapsedProps) {
  const { collapsed, collapsible } = geometry;
  const hidden = collapsedWords(geometry, left);
  if (hidden === "" && !collapsible) return null;
  const words = hidden || LESS;
  const most = open && collapsed.length === 0 && hidden !== "";
  return (
    <div className="timeline-collapsed" style={{ height: COLLAPSED_GAP }}>
      {most && <span>{words}</span>}
      <button type="button" aria-expanded={open} onClick={toggle} title={collapsed.map((lane) => lane.name).join(", ")} data-testid="more-lanes">{most ? LESS : words}</button>
    </div>
  );
}

interface BackdropProps {
  geometry: ChartGeometry;
  ticks: Tick[];
  axis: TimeAxis;
  /** Nothing after this has been decoded yet; null when all has. */
  completeUntil: number | null;
}

export function Backdrop({ geometry, ticks, axis, completeUntil }: BackdropProps) {
  const { widthPx } = geometry;
  const undecoded = completeUntil === null ? widthPx : Math.max(axis.x(completeUntil), 0);
  return (
    <div className="timeline-backdrop" aria-hidden="true" style={{ width: widthPx, height: geometry.lanesBottom }}>
      {ticks.map((tick) => (
        <i key={tick.t} className="timeline-gridline" style={{ left: axis.x(tick.t) }} />
      ))}
      {geometry.rows.map((row) => (
        <div key={row.lane.id} className="timeline-lane" style={{ top: row.top, height: row.height }}>
          {hatchesOf(row.lane, axis).map((hatch) => (
            <div key={hatch.why} className="timeline-hatch" data-lane={row.lane.id} style={{ left: hatch.leftPx, width: hatch.widthPx }}>
              <span>{hatch.widthPx < 260 && row.lane.captured ? "" : hatch.why}</span>
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

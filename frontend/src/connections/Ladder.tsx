/** The ladder as HTML: text can be selected, frames are links, it prints. */
import { useMemo, useState } from "react";

import type { ConnectionDetail, ConnectionPacket, Lane } from "../api/types";
import { EvidenceLink, EvidenceLinks } from "../findings/EvidenceLinks";
import { useReadTime } from "../format/clock";
import { offset, stretch } from "../format/offset";
import { plural } from "../format/quantity";
import { NameBeside } from "../names/NameBeside";
import { addressOf } from "../names/nameTable";
import { useNameOf } from "../names/NamesProvider";
import { ladderColumns, ladderSteps, portOf, type Aside, withRuns, type Fold, type Rung, type Run, type Step } from "./ladderSteps";
import "../ui/roles.css";
import "./ladder.css";

interface Columns {
  lanes: Lane[];
  /** Middle of a lane's column in percent of the track; -1 where the lane has none. */
  at: (laneId: string) => number;
}

interface LadderProps {
  detail: ConnectionDetail;
  /** Its columns; all lanes without. */
  lanes?: Lane[];
  /** Key of the step to highlight. */
  differs?: string | null;
}

export function Ladder({ detail, lanes = detail.lanes, differs = null }: LadderProps) {
  const steps = useMemo(() => withRuns(ladderSteps(detail)), [detail]);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const columns = useMemo(() => columnsOf(ladderColumns(lanes)), [lanes]);
  const start = detail.packets.reduce((first, packet) => (BigInt(packet.time_ns) < BigInt(first) ? packet.time_ns : first), detail.packets[0]?.time_ns ?? "0");
  const first = detail.packets.find((packet) => packet.time_ns === start)?.t_rel_ns ?? 0;
  const read = useReadTime(String(BigInt(start) - BigInt(first)));
  const nameOf = useNameOf();
  const shown = (atNs: number): string => read(first + atNs);
  return (
    <div className="ladder" role="table" aria-label="Packets of this connection by vantage point" data-testid="ladder">
      <div role="row" className="ladder-row ladder-head">
        <span role="columnheader" className="ladder-time">time</span>
        <div className="ladder-track">
          {columns.lanes.map((lane) => (
            <span key={lane.id} role="columnheader" className="ladder-column" style={{ left: `${columns.at(lane.id)}%` }} title={lane.note}>
              {lane.name}
              <NameBeside named={nameOf(lane.name, start)} />
              <small>{lane.captured ? lane.role : lane.role === "nat" ? "translation" : "not captured"}</small>
            </span>
          ))}
        </div>
      </div>
      <div className="ladder-steps" role="rowgroup">
        <Lifelines columns={columns} />
        {steps.flatMap((step): (Step | Run)[] => (step.kind === "run" && opened.has(step.key) ? step.steps : [step])).map((step) => {
          if (step.kind === "run") return <RunRow key={step.key} run={step} open={() => setOpened(new Set([...opened, step.key]))} />;
          if (step.kind === "fold") return <FoldRow key={step.key} fold={step} />;
          if (step.kind === "mark") return <AsideRow key={step.key} aside={step} columns={columns} shown={shown} />;
          return <RungRow key={step.key} rung={step} columns={columns} shown={shown} differs={step.key === differs} />;
        })}
      </div>
    </div>
  );
}

function columnsOf(lanes: Lane[]): Columns {
  const share = 100 / Math.max(lanes.length, 1);
  return { lanes, at: (id) => { const i = lanes.findIndex((lane) => lane.id === id); return i < 0 ? -1 : (i + 0.5) * share; } };
}

function Lifelines({ columns }: { columns: Columns }) {
  return (
    <div className="ladder-lifelines" aria-hidden="true">
      {columns.lanes.map((lane) => (
        <i key={lane.id} className={lane.captured ? "" : lane.role === "nat" ? "ladder-nat" : "ladder-uncaptured"} style={{ left: `${columns.at(lane.id)}%` }} />
      ))}
    </div>
  );
}

interface RungProps {
  rung: Rung;
  columns: Columns;
  shown: (atNs: number) => string;
  differs: boolean;
}

function RungRow({ rung, columns, shown, differs }: RungProps) {
  const seen = rung.sightings.map((sighting) => columns.at(sighting.lane));
  const gap = gapPercent(rung, columns);
  const ends = [...seen, ...(gap === null ? [] : [gap])];
  const [left, right] = [Math.min(...ends), Math.max(...ends)];
  const loss = rung.missing.length > 0;
  const hue = loss ? "role-loss" : rung.what === "SYN retransmission" ? "role-ok" : "role-neutral";
  return (
    <div role="row" className={differs ? "ladder-row ladder-differs" : "ladder-row"} data-what={rung.what} data-differs={differs || undefined}>
      <span role="cell" className="ladder-time" title={`${offset(rung.atNs)} after the first packet of the connection`}>{shown(rung.atNs)}</span>
      <div role="cell" className="ladder-track">
        <span className={`ladder-line ${hue}`} style={{ left: `${left}%`, width: `${right - left}%` }} />
        {right > left && <span className={`ladder-arrow ${rung.fromClient ? "" : "ladder-back"} ${hue}`} style={{ left: `${rung.fromClient ? right : left}%` }}>{rung.fromClient ? "▶" : "◀"}</span>}
        {rung.sightings.map((sighting) => <Dot key={`${sighting.input}#${sighting.frame}`} sighting={sighting} columns={columns} />)}
        <span className={rung.fromClient ? "ladder-what" : "ladder-what ladder-back"} style={{ left: `${labelAt(rung, columns)}%` }}>{rung.what}{payloadText(rung)}</span>
        {rung.rewriting !== null && <span className="ladder-port role-ok" style={{ left: `${middleOf(rung.rewriting.between, columns)}%` }}>{rung.rewriting.text}</span>}
        {gap !== null && <Missing rung={rung} columns={columns} at={gap} />}
      </div>
    </div>
  );
}

const payloadText = (rung: Rung): string => {
  const bytes = rung.sightings[0]?.payload_bytes ?? 0;
  return bytes > 0 ? `, ${plural(bytes, "byte")}` : "";
};

const labelAt = (rung: Rung, columns: Columns): number =>
  columns.at((rung.fromClient ? rung.sightings[0] : rung.sightings.at(-1))?.lane ?? "");

const middleOf = (pair: [string, string], columns: Columns): number => (columns.at(pair[0]) + columns.at(pair[1])) / 2;

/** Where the cross stands: half way between the last place it was seen and the first where it was not. */
function gapPercent(rung: Rung, columns: Columns): number | null {
  const missing = rung.missing.map(columns.at).filter((at) => at >= 0).sort((a, b) => a - b)[0];
  if (missing === undefined) return null;
  const last = Math.max(...rung.sightings.map((sighting) => columns.at(sighting.lane)).filter((at) => at < missing), 0);
  return (last + missing) / 2;
}

function Missing({ rung, columns, at }: { rung: Rung; columns: Columns; at: number }) {
  const names = rung.missing.map((id) => columns.lanes.find((lane) => lane.id === id)?.name ?? id).join(", ");
  return (
    <span className="ladder-missing role-loss" style={{ left: `${at}%` }} data-testid="ladder-missing">
      <b aria-hidden="true">✖</b> never seen on {names}
    </span>
  );
}

function Dot({ sighting, columns }: { sighting: ConnectionPacket; columns: Columns }) {
  const nameOf = useNameOf();
  const named = (end: string): string => {
    const found = nameOf(addressOf(end), sighting.time_ns);
    return found === null ? end : `${end} (${found.name})`;
  };
  const client = sighting.from_client ? sighting.source : sighting.destination;
  return (
    <span className="ladder-dot" style={{ left: `${columns.at(sighting.lane)}%` }} title={`${named(sighting.source)} → ${named(sighting.destination)}, client port ${portOf(client)}`}>
      <i aria-hidden="true">●</i>
      <EvidenceLink target={{ input: sighting.input, kind: "frame", first: sighting.frame, last: sighting.frame }} />
    </span>
  );
}

function AsideRow({ aside, columns, shown }: { aside: Aside; columns: Columns; shown: (atNs: number) => string }) {
  const at = columns.at(aside.mark.lanes[0] ?? "");
  if (at < 0) return null;
  return (
    <div role="row" className="ladder-row ladder-aside">
      <span role="cell" className="ladder-time">{shown(aside.atNs)}</span>
      <div role="cell" className="ladder-track">
        <span className={`ladder-dot role-${aside.mark.role}`} style={{ left: `${at}%` }}><i aria-hidden="true">●</i></span>
        <span className="ladder-note" style={{ left: `${at + 1.5}%` }}>{aside.mark.label} <EvidenceLinks evidence={aside.mark.evidence} /></span>
      </div>
    </div>
  );
}

/** Packets of an undisturbed transfer: how many, for how long, how much. */
function RunRow({ run, open }: { run: Run; open: () => void }) {
  const rungs = run.steps.filter((step): step is Rung => step.kind === "packet");
  const bytes = rungs.reduce((sum, rung) => sum + (rung.sightings[0]?.payload_bytes ?? 0), 0);
  const ns = (run.steps.at(-1)?.atNs ?? 0) - (run.steps[0]?.atNs ?? 0);
  return (
    <div role="row" className="ladder-fold" data-testid="ladder-run" data-packets={rungs.length}>
      <span role="cell">{plural(rungs.length, "packet")} without anomaly · {stretch(ns)} · {plural(bytes, "byte")} of payload</span>
      <span role="cell"><button type="button" className="link-button" onClick={open}>Show packets</button></span>
    </div>
  );
}

function FoldRow({ fold }: { fold: Fold }) {
  const [unfolded, setUnfolded] = useState(false);
  return (
    <div role="row" className={unfolded ? "ladder-fold ladder-unfolded" : "ladder-fold"} data-testid="ladder-fold">
      <span role="cell">{stretch(fold.gapNs)} {unfolded ? "" : "folded "}· no packets</span>
      <span role="cell"><button type="button" className="link-button" onClick={() => setUnfolded(!unfolded)}>{unfolded ? "fold" : "unfold"}</button></span>
    </div>
  );
}

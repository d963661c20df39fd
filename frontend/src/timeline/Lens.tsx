/** The lens: an inset with a ruler of its own, tied to the window by two thin lines. The window itself stays. */
import { useTimeline } from "../api/queries";
import type { TimelineLane, TimelineMark } from "../api/types";
import { useReadTime } from "../format/clock";
import { stretch } from "../format/offset";
import { Region } from "../ui/Region";
import type { LensHandle } from "./lens";
import { glyphSign, inWindow } from "./marks";
import { chooseTicks } from "./ticks";
import { linearAxis, type TimeAxis } from "./timeAxis";
import { windowEnd, type TimeWindow } from "./timeWindow";
import type { LanesAsked } from "./useWindowData";

interface LensHandlesProps {
  handles: readonly LensHandle[];
  open: (window: TimeWindow) => void;
}

export function LensHandles({ handles, open }: LensHandlesProps) {
  return handles.map((handle) => (
    <button
      key={handle.marks.join()} type="button" className="lens-handle" style={{ left: handle.x, top: handle.y - 27 }} data-testid="lens-handle" tabIndex={-1}
      title={`${stretch(handle.apartNs)} apart: show them in the lens (L)`} onPointerDown={(event) => event.stopPropagation()}
      onPointerUp={(event) => event.stopPropagation()} onClick={() => open(handle.window)}
    >
      ◖{stretch(handle.apartNs)}◗
    </button>
  ));
}

interface LensProps {
  lens: TimeWindow;
  /** Of the window it is tied to. */
  axis: TimeAxis;
  lanes: LanesAsked;
  t0: string;
  pick: (mark: TimelineMark) => void;
  zoom: () => void;
  close: () => void;
}

const TIE_PX = 14;

export function Lens({ lens, axis, lanes, t0, pick, zoom, close }: LensProps) {
  const { widthPx } = axis;
  const read = useReadTime(t0);
  const query = useTimeline({ from: lens.fromNs, to: windowEnd(lens), px: widthPx, ...lanes });
  const [left, right] = [lens.fromNs, windowEnd(lens)].map((t) => Math.min(Math.max(axis.x(t), 0), widthPx));
  return (
    <section className="lens" aria-label={`Lens, ${stretch(lens.durationNs)} from ${read(lens.fromNs)}`} style={{ width: widthPx }} data-testid="lens">
      <svg className="lens-tie" width={widthPx} height={TIE_PX} aria-hidden="true">
        <path d={`M${left} 0L0.5 ${TIE_PX}M${right} 0L${widthPx - 0.5} ${TIE_PX}`} />
      </svg>
      <div className="lens-box">
        <header>
          <strong>Lens</strong> <span className="timeline-sub">{stretch(lens.durationNs)} from {read(lens.fromNs)}</span>
          <span className="spacer" />
          <button type="button" onClick={zoom}>Zoom here</button>
          <button type="button" onClick={close} aria-label="Close lens">✕</button>
        </header>
        <Region label="Lens" query={query}>
          {(timeline) => <Inside lanes={timeline.lanes} marks={timeline.marks.filter((mark) => inWindow(mark, lens))} lens={lens} widthPx={widthPx} t0={t0} pick={pick} />}
        </Region>
      </div>
    </section>
  );
}

interface InsideProps {
  lanes: readonly TimelineLane[];
  marks: readonly TimelineMark[];
  lens: TimeWindow;
  widthPx: number;
  t0: string;
  pick: (mark: TimelineMark) => void;
}

const NAME_PX = 120;
/** Right of this share of the width a label stands on the left of its mark. */
const LABELS_LEFT_FROM = 0.6;
const DRAWN = new Set(["instant", "repeat", "missing", "pair"]);

function Inside({ lanes, marks, lens, widthPx, t0, pick }: InsideProps) {
  const read = useReadTime(t0);
  const room = widthPx - NAME_PX - 28;
  const moments = marks.filter((mark) => DRAWN.has(mark.glyph)).sort((a, b) => a.t - b.t);
  const rows = lanes.filter((lane) => moments.some((mark) => mark.lanes.includes(lane.id)));
  const axis = linearAxis(lens, room);
  const first = moments[0]?.t ?? lens.fromNs;
  return (
    <div className="lens-rows" style={{ paddingLeft: NAME_PX }}>
      <div className="lens-ruler" aria-hidden="true">
        {chooseTicks(axis, "mark", first, t0).map((tick) => <span key={tick.t} data-lens-tick={tick.label} style={{ left: axis.x(tick.t) }}>{tick.label}</span>)}
      </div>
      {rows.map((lane) => (
        <div key={lane.id} className="lens-row">
          <span className="lens-name" style={{ width: NAME_PX - 10, left: 4 - NAME_PX }} title={lane.name}>{lane.name}</span>
          {moments.filter((mark) => mark.lanes.includes(lane.id)).map((mark) => (
            <button
              key={mark.id} type="button" className={`lens-mark role-${mark.role}${axis.x(mark.t) > room * LABELS_LEFT_FROM ? " lens-mark-left" : ""}`} data-lens-mark={mark.id} data-t={mark.t} style={{ left: axis.x(mark.t) }}
              title={`${mark.label} · ${read(mark.t)} · ${stretch(mark.t - first)} after the first`} onClick={() => pick(mark)}
            >
              <span aria-hidden="true">{glyphSign(mark.glyph)}</span> <span className="lens-label">{mark.label}</span>
            </button>
          ))}
        </div>
      ))}
      {!rows.length && <p className="timeline-sub">No mark in the lens.</p>}
    </div>
  );
}

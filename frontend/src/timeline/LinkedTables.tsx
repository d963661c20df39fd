/** The tables under the chart: they obey the window, or the stretch they were narrowed to. */
import { shows, useSource } from "../api/source";
import type { Timeline, TimelineLane, TimelineMark } from "../api/types";
import { ConnectionsInWindow } from "../connections/ConnectionsInWindow";
import { count } from "../format/quantity";
import { PacketsTable } from "../packets/PacketsTable";
import type { Note } from "../api/notes";
import { NotesTable } from "../notes/NotesTable";
import { inWindow, matchesFilter } from "./marks";
import { MarksTable } from "./MarksTable";
import { pointAt } from "./pointed";
import { windowEnd, type TimeWindow } from "./timeWindow";
import type { TableTab, ViewState } from "./urlState";

interface LinkedTablesProps {
  state: ViewState;
  w: TimeWindow;
  timeline: Timeline;
  marks: readonly TimelineMark[];
  letters: ReadonlyMap<string, string>;
  currentMark: string | null;
  /** All of them, for one jumps with them; null where there are none to show. */
  notes: readonly Note[] | null;
  canWrite: boolean;
  onNote: (note: Note) => void;
  onTab: (tab: TableTab) => void;
  onPick: (mark: TimelineMark) => void;
  /** The capture points, where the chart's lanes are others. */
  captureLanes: readonly Pick<TimelineLane, "id" | "name">[] | undefined;
}

export function LinkedTables(props: LinkedTablesProps) {
  const { state, timeline, letters } = props;
  const source = useSource();
  const w = state.range ?? props.w;
  const marks = props.marks.filter((mark) => inWindow(mark, w) && matchesFilter(mark, timeline.lanes, state.filter));
  const packets = timeline.packets.filter((packet) => packet.t >= w.fromNs && packet.t <= windowEnd(w)
    && `${packet.what} ${packet.src} ${packet.dst}`.toLowerCase().includes(state.filter.toLowerCase()));
  const notes = props.notes?.filter((note) => `${note.text} ${note.author}`.toLowerCase().includes(state.filter.toLowerCase()));
  const tab = (name: TableTab, words: string) => (
    <button type="button" role="tab" aria-selected={state.tab === name} onClick={() => props.onTab(name)}>{words}</button>
  );
  return (
    <section aria-label="Tables of this window" className="timeline-tables">
      <div className="timeline-tabs" role="tablist">
        {tab("marks", `Marks ${count(marks.length)}`)}
        {tab("packets", timeline.mode === "packets" ? `Packets ${count(packets.length)}` : "Packets")}
        {shows(source, "/connections") && tab("connections", "Connections")}
        {notes && tab("notes", `Notes ${count(notes.length)}`)}
      </div>
      {state.tab === "marks" && (
        <MarksTable marks={marks} lanes={timeline.lanes} letters={letters} selectedMark={props.currentMark} onPick={props.onPick} label="Marks of the window" />
      )}
      {state.tab === "packets" && (timeline.mode === "packets"
        ? <PacketsTable packets={packets} lanes={props.captureLanes ?? timeline.lanes} onPoint={(packet) => pointAt({ mark: null, t: packet?.t ?? null })} />
        : <p className="timeline-sub">This window holds too many packets to list. Zoom in until it holds a few hundred.</p>)}
      {state.tab === "notes" && notes && <NotesTable notes={notes} lanes={timeline.lanes} onJump={props.onNote} canDelete={props.canWrite} />}
      {state.tab === "connections" && shows(source, "/connections") && (
        <ConnectionsInWindow fromNs={w.fromNs} toNs={windowEnd(w)} finding={state.selection?.finding ?? null} filter={state.filter} />
      )}
    </section>
  );
}

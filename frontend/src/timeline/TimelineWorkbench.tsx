/** The timeline page's body: heading, chips, chart or its table twin, linked tables, side panel. */
import { useCallback, useMemo, useRef, useState } from "react";

import { useNotes, type Note, type NoteOptions } from "../api/notes";
import type { Finding, Timeline, TimelineMark } from "../api/types";
import { wallClock } from "../format/instant";
import { stretch } from "../format/offset";
import { plural } from "../format/quantity";
import { useMayWrite } from "../notes/mayWrite";
import { NoteForm } from "../notes/NoteForm";
import { marksOfNotes, wordsOfTime } from "../notes/noteWords";
import { useSource } from "../api/source";
import { useAddress } from "../ui/RouteLink";
import { ComparedInstance } from "./ComparedInstance";
import { TableChips } from "./TableChips";
import { detailText, marksText, packetsByLane } from "./detail";
import { rowsOfFindings } from "./findingBars";
import { Legend } from "./Legend";
import { crowdsOf } from "./levels";
import { lanesWithArcs, layoutLanes, orderLanes } from "./laneLayout";
import { lensHandles } from "./lens";
import { openingWindow } from "./openingWindow";
import { LinkedTables } from "./LinkedTables";
import { foldWords, roundTo3 } from "./folds";
import { chosenGroups, describeMark, isChosen, shownMarks } from "./marks";
import { MarkPanel } from "./MarkPanel";
import type { Pulse } from "./MarkPulse";
import { MarksTable } from "./MarksTable";
import { useReadTime, zeroWords } from "../format/clock";
import { chooseTicks } from "./ticks";
import { foldsInView, openNs, type Fold } from "./timeAxis";
import type { TimeWindow } from "./timeWindow";
import { sourceOf } from "../pictures/frame";
import { PictureButtons } from "../pictures/PictureButtons";
import { timelinePicture, timelineWords } from "./picture";
import { TimelineStage } from "./TimelineStage";
import { TimelineTools } from "./TimelineTools";
import { stringifySearch } from "../format/searchString";
import { useTimelineKeys } from "./useTimelineKeys";
import { useTimelineView } from "./useTimelineView";
import { useTokens, useWidth } from "./useTokens";
import { useLetters, useWorkbench } from "./useWorkbench";
import { useWindowData } from "./useWindowData";
import { lanesAsked, writeWindow } from "./urlState";
import "../ui/roles.css";
import "./timeline.css";

const HEADERS_PX = 168;
const PADDING_PX = 26;

interface TimelineWorkbenchProps {
  overview: Timeline;
  findings: readonly Finding[];
  /** Ids of findings, the most telling first: the first decides the default window. */
  telling: readonly string[];
  /** Names of the capture points, for tables of packets; undefined while they are not known. */
  captureLanes: readonly { id: string; name: string }[] | undefined;
}

export function TimelineWorkbench({ overview, findings, telling, captureLanes }: TimelineWorkbenchProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [panel, setPanel] = useState(false);
  const [said, setSaid] = useState("");
  const [focused, setFocused] = useState(false);
  const { parameters, path } = useAddress();
  const initial = useMemo(() => openingWindow(overview, parameters["sel"], telling), [overview, parameters, telling]);
  const view = useTimelineView(overview.span, initial);
  const widthPx = useWidth(frame, HEADERS_PX + PADDING_PX) || 1200;
  const source = useSource();
  const mayWrite = useMayWrite();
  const notes = useNotes().data;
  const [options, setOptions] = useState<Omit<NoteOptions, "text"> | null>(null);
  const [guides, setGuides] = useState(true);
  const [pulse, setPulse] = useState<Pulse | null>(null);
  const { state, window: w, change } = view;
  const noted = useMemo(() => marksOfNotes(notes ?? []), [notes]);
  const drawn = useCallback(
    (all: readonly TimelineMark[]) => [...shownMarks(all, state.selection, guides).filter((mark) => mark.glyph === "guide"), ...noted],
    [state.selection, guides, noted],
  );
  const lanes = useMemo(() => lanesAsked(state), [state]);
  const data = useWindowData({ window: w, widthPx, overview, lanes, folded: state.folded, drawn });
  const { axis } = data;
  const timeline = useMemo(() => ({ ...data.timeline, marks: [...data.timeline.marks, ...noted] }), [data.timeline, noted]);
  const bench = useWorkbench({ view, timeline, overview, findings, axis, guides });
  const letters = useLetters(findings);
  const tokens = useTokens();
  const counts = useMemo(() => new Map(findings.map((finding) => [finding.id, finding.count])), [findings]);
  const { current, marks } = bench;

  const selected = state.selection?.finding;
  const findingRows = useMemo(
    () => rowsOfFindings(findings, new Set(overview.marks.filter((mark) => mark.instance !== null).map((mark) => mark.finding)), selected),
    [findings, overview, selected],
  );
  const geometry = useMemo(
    () => layoutLanes(orderLanes(overview.lanes, state.pinned), widthPx, {
      chosen: state.lanes, pinned: state.pinned, all: state.moreLanes, left: overview.lanes_left.lanes > 0, arcs: lanesWithArcs(overview.marks), findings: findingRows.rows.length + findingRows.more,
    }),
    [overview, state.lanes, state.pinned, state.moreLanes, widthPx, findingRows],
  );
  const chart = useMemo(
    () => ({ axis, geometry, selection: state.selection, currentMark: current, filter: state.filter }),
    [axis, geometry, state.selection, current, state.filter],
  );
  const chosen = useMemo(() => chosenGroups(timeline.marks, state.selection), [timeline.marks, state.selection]);
  const content = useMemo(
    () => ({ timeline, overview, marks, findings, findingRows, letters, chosen }),
    [timeline, overview, marks, findings, findingRows, letters, chosen],
  );
  const handles = useMemo(() => lensHandles(marks, (mark) => isChosen(mark, chosen), geometry, axis), [chosen, geometry, marks, axis]);
  const read = useReadTime(overview.t0);
  const describe = (mark: TimelineMark): string => describeMark(mark, overview.lanes, letters, counts, read);
  const currentMark = timeline.marks.find((mark) => mark.id === current) ?? null;
  const ticks = chooseTicks(axis, bench.clock.reading, bench.clock.markNs, overview.t0);
  const packets = packetsByLane(timeline, w);
  const total = [...packets.values()].reduce((sum, value) => sum + value, 0);
  const folds = foldsInView(axis).map((fold) => ({ ...fold, words: foldWords(fold, data.traffic(fold)) }));
  const linkTo = (range: TimeWindow): string =>
    window.location.origin + path + stringifySearch({ ...parameters, w: writeWindow(range) }) + window.location.hash;

  const picture = (): string => timelinePicture(chart, content, tokens, ticks, timelineWords(chart, content, { ...bench.clock, t0: overview.t0 }, sourceOf(path)));

  function walk(step: 1 | -1) {
    const mark = bench.walkMarks(step);
    if (mark !== null) setSaid(describe(mark));
  }
  function open(mark: TimelineMark | null) {
    if (mark === null) return;
    bench.pickMark(mark);
    setPanel(true);
  }
  function openFromTable(mark: TimelineMark) {
    open(mark);
    setPulse({ mark, times: (pulse?.times ?? 0) + 1 });
  }
  function toggleFolds() {
    change({ folded: !state.folded });
    setSaid(state.folded ? "Time is no longer folded" : "Time is folded: long stretches without marks are cut short");
  }
  const lookInto = (fold: Fold) => view.show({ fromNs: fold.from, durationNs: fold.to - fold.from });
  function leave() {
    if (panel) setPanel(false);
    else if (document.activeElement === frame.current) frame.current?.blur();
  }
  /** The lens on the current mark, else on the first marks that stand too close. */
  function toggleLens() {
    const handle = handles.find((each) => current !== null && each.marks.includes(current)) ?? handles[0];
    if (state.lens !== null) change({ lens: null });
    else if (handle) change({ lens: handle.window });
    else setSaid("No marks overlap");
  }
  function togglePin() {
    const lane = currentMark?.lanes[0] ?? geometry.rows[0]?.lane.id;
    if (lane === undefined) return;
    change({ pinned: state.pinned.includes(lane) ? state.pinned.filter((id) => id !== lane) : [...state.pinned, lane] });
  }
  function noteOn(range: TimeWindow) {
    const fromNs = Math.max(0, Math.round(range.fromNs));
    setOptions({ from: fromNs, to: fromNs + Math.round(range.durationNs) });
  }
  /** At the current mark, else on what the tables show. */
  function addNote() {
    if (!mayWrite) setSaid("Notes are read-only here");
    else if (currentMark === null) noteOn(state.range ?? w);
    else setOptions({ from: currentMark.t, to: currentMark.t_end, lane: state.grouping === "capture" ? (currentMark.lanes[0] ?? "") : "", finding: currentMark.finding });
  }
  function jumpTo(note: Note) {
    const mark = marksOfNotes([note])[0];
    if (mark !== undefined) bench.pickMark(mark);
  }
  useTimelineKeys(frame, {
    zoomIn: (fast) => bench.zoom(true, fast), zoomOut: (fast) => bench.zoom(false, fast),
    left: (fast) => bench.pan(-1, fast), right: (fast) => bench.pan(1, fast),
    nextMark: () => walk(1), previousMark: () => walk(-1),
    nextInstance: () => bench.walkInstances(1), previousInstance: () => bench.walkInstances(-1),
    fit: () => bench.fit(), all: bench.all, back: view.back, table: () => change({ asTable: !state.asTable }),
    timeReference: bench.readFromMark, reading: bench.nextReading, guides: () => setGuides(!guides), fold: toggleFolds,
    copyLink: () => void navigator.clipboard.writeText(window.location.href).then(() => setSaid("Link copied")),
    lens: toggleLens, pin: togglePin, note: addNote, open: () => open(currentMark), leave,
  });
  const label = `Timeline from ${wallClock(overview.t0, w.fromNs)} for ${stretch(w.durationNs)}, ${plural(geometry.rows.length, "lane")}, ${plural(findings.length, "finding")}${state.folded ? ", time folded" : ""}`;

  return (
    <div className="timeline">
      <Heading view={view.state.selection} findings={findings} letters={letters} />
      <div className="timeline-status">
        <TableChips state={state} t0={overview.t0} change={change} foldedWords={chipOfFolds(folds)} />
        <span className="spacer" />
        <TimelineTools
          state={state} lanes={overview.lanes} reading={bench.clock.reading} guides={guides} canWalk={bench.instances.length > 0}
          change={change} onAll={bench.all} onReading={bench.nextReading} onGuides={() => setGuides(!guides)}
          onWalk={bench.walkInstances} onTable={() => change({ asTable: !state.asTable })}
        />
      </div>
      <div
        ref={frame} className="timeline-frame" data-testid="timeline" tabIndex={0} role={focused ? "application" : "group"} aria-label={label}
        onFocus={(event) => setFocused(event.target === event.currentTarget)} onBlur={() => setFocused(false)}
      >
        {data.query.isFetching && data.query.isPlaceholderData && <div className="timeline-progress" />}
        {state.asTable ? (
          <MarksTable marks={marks} lanes={overview.lanes} letters={letters} selectedMark={current} onPick={open} label="Marks of the window" folds={folds} />
        ) : (
          <TimelineStage
            view={chart} content={content} tokens={tokens} ticks={ticks} packetsInView={packets} show={view.show} linkTo={linkTo}
            zoomTo={view.show} filterTo={(range) => change({ range })} noteOn={mayWrite ? noteOn : undefined} pickMark={open} pickInstance={bench.focusInstance}
            fit={bench.fit} describe={describe} handles={handles} lens={state.lens} openLens={(lens) => change({ lens })} lanesAsked={lanes}
            read={read} traffic={data.traffic} lookInto={lookInto} pulse={pulse}
            moreLanes={{ left: overview.lanes_left, open: state.moreLanes, toggle: () => change({ moreLanes: !state.moreLanes }) }}
          />
        )}
      </div>
      <div className="timeline-status" data-testid="detail">
        <span>window {read(w.fromNs, 6)} + {stretch(w.durationNs)}</span>
        <span data-testid="zero">{zeroWords({ ...bench.clock, t0: overview.t0 })}</span>
        <span>{detailText(timeline, openNs(axis), total)}</span><span data-testid="marks-shown" data-count={marks.length}>{marksText(marks.length, timeline)}</span>
      </div>
      {!state.asTable && <PictureButtons draw={picture} name="timeline" />}
      {state.selection?.instance != null && <ComparedInstance selection={state.selection} />}
      {!state.asTable && <Legend marks={marks} crowds={crowdsOf(marks, geometry, axis)} />}
      <div className="visually-hidden" aria-live="polite" data-testid="live">{said}</div>
      <LinkedTables
        state={state} w={w} timeline={timeline} marks={marks} letters={letters} currentMark={current}
        onTab={(tab) => change({ tab })} onPick={openFromTable} captureLanes={state.grouping === "capture" ? undefined : captureLanes}
        notes={source.notes ? (notes ?? []) : null} canWrite={mayWrite} onNote={jumpTo}
      />
      {options !== null && (
        <NoteForm
          title="Add note" label="Note" about={wordsOfTime(options)} options={options} onClose={() => setOptions(null)}
          onWritten={() => change({ tab: "notes" })}
        />
      )}
      {panel && currentMark !== null && parameters["evidence"] === undefined && (
        <MarkPanel mark={currentMark} lanes={overview.lanes} text={describe(currentMark)} onClose={() => setPanel(false)} />
      )}
    </div>
  );
}

function chipOfFolds(folds: readonly Fold[]): string {
  if (folds.length === 0) return "time is folded: no long gap here";
  const total = folds.reduce((ns, fold) => ns + fold.to - fold.from, 0);
  return `time is folded: ${plural(folds.length, "stretch", "stretches")}, ${stretch(roundTo3(total))}`;
}

function Heading({ view, findings, letters }: { view: { finding: string; instance: number | null } | null; findings: readonly Finding[]; letters: ReadonlyMap<string, string> }) {
  const finding = findings.find((one) => one.id === view?.finding);
  if (finding === undefined) return <div className="timeline-head"><h1>Timeline</h1></div>;
  return (
    <div className="timeline-head">
      <h1>{letters.get(finding.id)}{view?.instance ? ` · instance ${view.instance} of ${finding.count}` : ""}</h1>
      <span className="timeline-sub">{finding.title}</span>
    </div>
  );
}

/** The page's body: claims, chart or its table twin, groups, and the group that is selected. */
import { useEffect, useMemo, useRef, useState } from "react";

import { useRoundTripChart, type HeldGroup, type RoundTripChart } from "../api/roundTrips";
import type { Finding } from "../api/types";
import { nextReading, useClock } from "../format/clock";
import { wallClock } from "../format/instant";
import { offset, stretch } from "../format/offset";
import { plural } from "../format/quantity";
import { evidenceParameter } from "../findings/evidenceAddress";
import { sourceOf } from "../pictures/frame";
import { PictureButtons } from "../pictures/PictureButtons";
import { chooseTicks } from "../timeline/ticks";
import { linearAxis, panBy, zoomAt } from "../timeline/timeAxis";
import { requestFor, wholeWindow, windowAround, windowEnd, type Span } from "../timeline/timeWindow";
import { useTimelineView } from "../timeline/useTimelineView";
import { useTokens, useWidth } from "../timeline/useTokens";
import { Failure } from "../ui/Region";
import { useAddress, useSetParameters } from "../ui/RouteLink";
import { Comb } from "./Comb";
import { GroupPanel } from "./GroupPanel";
import { GroupTable } from "./GroupTable";
import { NoTrips } from "./NoTrips";
import { contentOf, rttPicture, rttWords } from "./picture";
import { RttTools } from "./RttTools";
import { AXIS_PX, RttStage } from "./RttStage";
import { SampleTable } from "./SampleTable";
import { chooseScales, layoutPanels, type Hit } from "./scale";
import { useRttKeys } from "./useRttKeys";
import { detailWords, findGroup, ms } from "./words";
import "../timeline/timeline.css";
import "./rtt.css";

const PADDING_PX = 26;
const QUIET_MS = 120;

interface RttWorkbenchProps {
  whole: RoundTripChart;
  groups: readonly HeldGroup[];
  groupsTotal: number;
  findings: readonly Finding[];
}

const listOf = (text: string | undefined): string[] => (text ?? "").split("~").filter((part) => part !== "");

export function RttWorkbench({ whole, groups, groupsTotal, findings }: RttWorkbenchProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [guides, setGuides] = useState(true);
  const [said, setSaid] = useState("");
  const [current, setCurrent] = useState<number | null>(null);
  const [focused, setFocused] = useState(false);
  const { parameters, path } = useAddress();
  const setParameters = useSetParameters();
  const span = whole.span as Span;
  const view = useTimelineView(span, useMemo(() => wholeWindow(span), [span]));
  const { window: w, state, change, show } = view;
  const widthPx = useWidth(frame, AXIS_PX + PADDING_PX) || 1200;
  const kinds = useMemo(() => listOf(parameters.kinds).filter((kind) => whole.kinds.includes(kind)), [parameters.kinds, whole.kinds]);
  const wanted = useMemo(() => listOf(parameters.series), [parameters.series]);
  const data = useChart(w, widthPx, span, kinds, wanted);
  const chart = typeof data.data === "object" ? data.data : whole;
  const kind = parameters.y === "log" ? "log" : "linear";
  const selected = state.selection?.instance ? `${state.selection.finding}~${state.selection.instance}` : null;
  const group = findGroup(groups, selected);
  const tokens = useTokens();
  const clock = useClock();
  const shown = useMemo(() => chart.series.filter((series) => series.shown), [chart.series]);
  const geometry = useMemo(() => layoutPanels(shown, widthPx, chooseScales(kind, shown, w)), [shown, widthPx, kind, w]);
  const picture = useMemo(() => ({ window: w, geometry, selected, current, guides }), [w, geometry, selected, current, guides]);
  const content = useMemo(() => contentOf(chart, groups), [chart, groups]);
  const inWindow = groups.filter((each) => each.t_end >= w.fromNs && each.t <= windowEnd(w));
  const axis = linearAxis(w, widthPx);
  const ticks = chooseTicks(axis, clock.reading, clock.markNs, chart.t0);

  const around = (of: HeldGroup) => windowAround(of.t - (of.t_end - of.t) * 0.4, of.t_end + (of.t_end - of.t) * 0.4, span);
  const say = (of: HeldGroup) =>
    setSaid(`group ${groups.indexOf(of) + 1} of ${groups.length}: ${plural(of.samples, "answer")} delayed by up to ${ms(of.longest_ms)}, ${offset(of.t, 6)}`);
  function pick(of: HeldGroup) {
    say(of);
    const outside = of.t_end < w.fromNs || of.t > windowEnd(w);
    change({ selection: { finding: of.finding, instance: of.instance, mark: null }, ...(outside ? { window: around(of) } : {}) });
  }
  function walk(step: 1 | -1) {
    const at = group === null ? (step === 1 ? 0 : groups.length - 1) : groups.indexOf(group) + step;
    const next = groups[(at + groups.length) % Math.max(groups.length, 1)];
    if (next === undefined) return;
    say(next);
    change({ selection: { finding: next.finding, instance: next.instance, mark: null }, window: around(next) });
  }
  function pickSample({ panel, at }: Hit) {
    const { points, input, printed } = panel.series;
    const frameNumber = points.sent_frame[at];
    if (frameNumber === undefined) return;
    setCurrent(points.sid[at] ?? null);
    setParameters({ evidence: evidenceParameter({ input, kind: printed ? "line" : "frame", first: frameNumber, last: frameNumber }) }, "push");
  }
  function step(by: 1 | -1) {
    const points = geometry.panels[0]?.series.points;
    if (points === undefined) return;
    const rows = points.t.map((t, at) => ({ t, at })).filter(({ t, at }) => t >= w.fromNs && t <= windowEnd(w) && (points.group[at] ?? -1) >= 0);
    const now = rows.findIndex(({ at }) => points.sid[at] === current);
    const next = rows[now < 0 ? (by === 1 ? 0 : rows.length - 1) : now + by];
    if (next === undefined) return;
    setCurrent(points.sid[next.at] ?? null);
    setSaid(`${chart.kinds[points.kind[next.at] ?? 0]}, ${offset(next.t, 6)}, round trip ${ms(points.rtt_ms[next.at] ?? 0)}, delayed`);
  }
  const fit = () => group !== null && show(around(group));
  const toTable = () => change({ asTable: !state.asTable });
  useRttKeys(frame, {
    reading: nextReading,
    zoomIn: (fast) => show(zoomAt(axis, fast ? 0.4 : 0.7, widthPx / 2, span)), zoomOut: (fast) => show(zoomAt(axis, fast ? 2.5 : 1.4, widthPx / 2, span)),
    left: (fast) => show(panBy(axis, fast ? -0.5 : -0.15, span)), right: (fast) => show(panBy(axis, fast ? 0.5 : 0.15, span)),
    nextMark: () => step(1), previousMark: () => step(-1), nextInstance: () => walk(1), previousInstance: () => walk(-1), fit,
    all: () => show(wholeWindow(span)), back: view.back, table: toTable, guides: () => setGuides(!guides),
    open: () => openCurrent(), leave: () => { if (document.activeElement === frame.current) frame.current?.blur(); },
  });
  function openCurrent() {
    const panel = geometry.panels[0];
    const at = panel?.series.points.sid.indexOf(current ?? -1) ?? -1;
    if (panel !== undefined && at >= 0) pickSample({ panel, at });
  }
  const drawn = () => rttPicture(picture, content, tokens, ticks, rttWords(chart, w, { ...clock, t0: chart.t0 }, sourceOf(path)));
  const label = `Round trips from ${wallClock(chart.t0, w.fromNs)} for ${stretch(w.durationNs)}, ${plural(shown.length, "series", "series")}, ${plural(inWindow.length, "group")} of delayed responses`;

  return (
    <div className="rtt">
      <div className="timeline-status">
        <span data-testid="rtt-detail" data-mode={chart.mode}>{detailWords(chart)}</span>
        <span className="spacer" />
        <RttTools
          chart={chart} kinds={kinds} scale={kind} guides={guides} asTable={state.asTable} canWalk={groups.length > 0}
          setKinds={(next) => setParameters({ kinds: next.join("~") || null }, "push")} setSeries={(ids) => setParameters({ series: ids.join("~") || null }, "push")}
          setScale={(next) => setParameters({ y: next === "log" ? "log" : null }, "push")} onGuides={() => setGuides(!guides)} onTable={toTable}
          onAll={() => show(wholeWindow(span))} onWalk={walk}
        />
      </div>
      {data.error && <Failure label="Round trips of this window" error={data.error} retry={data.refetch} />}
      <div
        ref={frame} className="timeline-frame" data-testid="rtt-chart" tabIndex={0} role={focused ? "application" : "group"} aria-label={label}
        onFocus={(event) => setFocused(event.target === event.currentTarget)} onBlur={() => setFocused(false)}
      >
        {data.isFetching && data.isPlaceholderData && <div className="timeline-progress" />}
        {state.asTable ? (
          <SampleTable
            label="Round trips of the window" t0={chart.t0} asked={{ from: w.fromNs, to: windowEnd(w), kind: kinds.length === 1 ? (kinds[0] ?? null) : null }}
            nothing={<NoTrips w={w} kind={kinds.length === 1 ? (kinds[0] ?? null) : null} showAll={() => show(wholeWindow(span))} />}
          />
        ) : (
          <>
            {shown.length === 0 && <p className="region-empty">No round trip of these kinds. <button type="button" className="link-button" onClick={() => setParameters({ kinds: null, series: null }, "push")}>Show all kinds</button></p>}
            <RttStage view={picture} content={content} tokens={tokens} ticks={ticks} span={span} show={show} pickGroup={pick} pickSample={pickSample} fit={fit} />
            <Comb findings={findings} groups={groups} w={w} widthPx={widthPx} />
          </>
        )}
      </div>
      {!state.asTable && shown.length > 0 && <PictureButtons name="rtt" draw={drawn} />}
      <div className="visually-hidden" aria-live="polite" data-testid="live">{said}</div>
      {group !== null && <GroupPanel key={selected} group={group} place={groups.indexOf(group) + 1} t0={chart.t0} fit={fit} close={() => change({ selection: null })} />}
      {groups.length > 0 && <GroupTable groups={groups} total={groupsTotal} selected={selected} onPick={pick} />}
    </div>
  );
}

/** Asked for three windows at a time, and only when it must be. */
function useChart(w: { fromNs: number; durationNs: number }, widthPx: number, span: Span, kinds: readonly string[], series: readonly string[]) {
  const [request, setRequest] = useState(() => requestFor(w, widthPx, span, null));
  const next = requestFor(w, widthPx, span, request);
  useEffect(() => {
    if (next === request) return undefined;
    const timer = window.setTimeout(() => setRequest(next), QUIET_MS);
    return () => window.clearTimeout(timer);
  }, [next, request]);
  return useRoundTripChart({ ...request, kinds, series });
}

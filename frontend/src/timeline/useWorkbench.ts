/** What the timeline's keys and buttons do, on top of the view. */
import { useCallback, useEffect, useMemo, useState } from "react";

import type { Finding, Timeline, TimelineMark } from "../api/types";
import { instancesOf, matchesFilter, neighbour, visibleMarks, type Instance } from "./marks";
import { nextReading, setClock, useClock } from "../format/clock";
import { lettersOf } from "../format/findingLetters";
import { fitted } from "./openingWindow";
import { panBy, zoomAt, type TimeAxis } from "./timeAxis";
import { wholeWindow, windowAround, windowEnd } from "./timeWindow";
import type { TimelineView } from "./useTimelineView";
import type { Selection } from "./urlState";

const ZOOM = 0.7;
const FAST_ZOOM = 0.3;
const PAN = 0.15;
const FAST_PAN = 0.5;

export function useLetters(findings: readonly Finding[]): ReadonlyMap<string, string> {
  return useMemo(() => lettersOf(findings), [findings]);
}

export interface WorkbenchInput {
  view: TimelineView;
  timeline: Timeline;
  overview: Timeline;
  findings: readonly Finding[];
  axis: TimeAxis;
  guides: boolean;
}

export function useWorkbench({ view, timeline, overview, findings, axis, guides }: WorkbenchInput) {
  const clock = useClock();
  const [current, setCurrent] = useState<string | null>(view.state.selection?.mark ?? null);
  const { span } = overview;
  const { window: w, show, select, state } = view;
  const filter = state.onlyMatching ? state.filter : "";
  const marks = useMemo(
    () => visibleMarks(timeline.marks, w, state.selection, guides).filter((mark) => matchesFilter(mark, timeline.lanes, filter)),
    [timeline.marks, timeline.lanes, w, state.selection, guides, filter],
  );
  const instances = useMemo(() => instancesOf(overview.marks.length >= timeline.marks.length ? overview.marks : timeline.marks), [overview.marks, timeline.marks]);

  const focusInstance = useCallback((instance: Instance, markId: string | null = null) => {
    const inside = instance.from >= w.fromNs && instance.to <= windowEnd(w);
    const target = windowAround(instance.from, instance.to, span);
    const readable = inside && w.durationNs <= target.durationNs * 4;
    select({ finding: instance.finding, instance: instance.instance, mark: markId }, readable ? undefined : target);
  }, [select, span, w]);

  const pickMark = useCallback((mark: TimelineMark) => {
    setCurrent(mark.id);
    const outside = mark.t < w.fromNs || mark.t > windowEnd(w);
    const target = outside ? windowAround(mark.t, mark.t_end ?? mark.t, span) : undefined;
    // A note need not belong to a finding.
    if (mark.finding !== "") select({ finding: mark.finding, instance: mark.instance, mark: mark.id }, target);
    else if (target !== undefined) show(target);
  }, [select, show, span, w]);

  const markNs = timeline.marks.find((mark) => mark.id === current)?.t ?? null;
  useEffect(() => setClock({ t0: overview.t0, markNs }), [overview.t0, markNs]);

  const walkMarks = useCallback((step: 1 | -1) => {
    const own = marks.filter((mark) => mark.glyph !== "guide");
    const next = neighbour(own, current, step);
    if (next !== null) setCurrent(next.id);
    return next;
  }, [current, marks]);

  const walkInstances = useCallback((step: 1 | -1) => {
    const next = instanceAfter(instances, state.selection, findings, step);
    if (next !== null) focusInstance(next);
  }, [findings, focusInstance, instances, state.selection]);

  const fit = useCallback((what: { finding: string; instance: number | null } | null = null) => {
    const wanted = what === null || what.finding === "" ? state.selection : { ...what, mark: null };
    show(fitted(instances, wanted, span));
  }, [instances, show, span, state.selection]);
  const all = useCallback(() => show(wholeWindow(span)), [show, span]);
  const zoom = (closer: boolean, fast: boolean): void => {
    const factor = fast ? FAST_ZOOM : ZOOM;
    show(zoomAt(axis, closer ? factor : 1 / factor, anchorPx(marks, current, axis), span));
  };
  const pan = (sign: 1 | -1, fast: boolean): void => show(panBy(axis, sign * (fast ? FAST_PAN : PAN), span));
  return {
    clock, current, setCurrent, marks, instances, pickMark, walkMarks, walkInstances, focusInstance, fit, all, zoom, pan,
    nextReading,
    readFromMark: () => setClock({ reading: "mark" }),
  };
}

/** Keys zoom at the current mark if it is in view, else at the middle. */
function anchorPx(marks: readonly TimelineMark[], current: string | null, axis: TimeAxis): number {
  const w = axis.window;
  const mark = marks.find((candidate) => candidate.id === current);
  if (mark === undefined || mark.t < w.fromNs || mark.t > windowEnd(w)) return axis.widthPx / 2;
  return axis.x(mark.t);
}

/** The next instance of the selected finding; without a selection the first of the first finding. */
function instanceAfter(
  instances: readonly Instance[], selection: Selection | null, findings: readonly Finding[], step: 1 | -1,
): Instance | null {
  const finding = selection?.finding ?? findings.find((one) => instances.some((i) => i.finding === one.id))?.id;
  const own = instances.filter((instance) => instance.finding === finding).sort((a, b) => a.instance - b.instance);
  const at = own.findIndex((instance) => instance.instance === selection?.instance);
  if (at < 0) return (step === 1 ? own[0] : own.at(-1)) ?? null;
  return own[(at + step + own.length) % own.length] ?? null;
}

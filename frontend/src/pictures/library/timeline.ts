/** The timeline as the page opens on it, from the answers that the page asks for. Pure. */
import type { Report, Timeline } from "../../api/types";
import { lettersOf } from "../../format/findingLetters";
import { rowsOfFindings } from "../../timeline/findingBars";
import { lanesWithArcs, layoutLanes } from "../../timeline/laneLayout";
import { chosenGroups, visibleMarks } from "../../timeline/marks";
import { openingWindow, tellingOf } from "../../timeline/openingWindow";
import { PICTURE_SIDES_PX, timelinePicture, timelineWords } from "../../timeline/picture";
import { chooseTicks } from "../../timeline/ticks";
import { linearAxis } from "../../timeline/timeAxis";
import { clampWindow, requestFor, type TimelineRequest, type TimeWindow } from "../../timeline/timeWindow";
import { readView, type Selection } from "../../timeline/urlState";
import { tokensOfTheme, type Theme } from "./themes";

export interface TimelineAsked {
  theme: Theme;
  /** Of the whole picture. */
  width_px: number;
  /** As in the page's address: `from_ns~duration_ns`, and `finding~instance`; empty where none is asked for. */
  w: string;
  sel: string;
  source: string;
}

interface Known {
  overview: Timeline;
  report: Pick<Report, "diagnoses" | "findings">;
}

function windowOf({ overview, report }: Known, asked: TimelineAsked): TimeWindow {
  const wanted = readView({ w: asked.w }).window ?? openingWindow(overview, asked.sel, tellingOf(report));
  return clampWindow(wanted, overview.span);
}

const plotPx = (asked: TimelineAsked): number => asked.width_px - PICTURE_SIDES_PX;

/** What the server is to be asked for, so that the window is drawn as finely as on the page. */
export const timelineRequest = (input: Known & { asked: TimelineAsked }): TimelineRequest =>
  requestFor(windowOf(input, input.asked), plotPx(input.asked), input.overview.span, null);

export function drawTimeline(input: Known & { timeline: Timeline; asked: TimelineAsked }): string {
  const { overview, timeline, report, asked } = input;
  const { findings } = report;
  const selection: Selection | null = readView({ sel: asked.sel }).selection;
  const axis = linearAxis(windowOf(input, asked), plotPx(asked));
  const marked = new Set(overview.marks.filter((mark) => mark.instance !== null).map((mark) => mark.finding));
  const findingRows = rowsOfFindings(findings, marked, selection?.finding);
  const geometry = layoutLanes(overview.lanes, axis.widthPx, {
    left: overview.lanes_left.lanes > 0, arcs: lanesWithArcs(overview.marks), findings: findingRows.rows.length + findingRows.more,
  });
  const view = { axis, geometry, selection, currentMark: null, filter: "" };
  const marks = visibleMarks(timeline.marks, axis.window, selection, true);
  const content = { timeline, overview, marks, findings, findingRows, letters: lettersOf(findings), chosen: chosenGroups(timeline.marks, selection) };
  const words = timelineWords(view, content, { reading: "start", markNs: null, t0: overview.t0 }, asked.source);
  return timelinePicture(view, content, tokensOfTheme(asked.theme), chooseTicks(axis, "start", null, overview.t0), words);
}

/** The chart's whole option as a pure function of what is viewed, what is known and the theme. */
import type { Finding, Timeline, TimelineMark as Mark } from "../api/types";
import type { ChartGeometry } from "./laneLayout";
import { OVERVIEW_HEIGHT } from "./laneLayout";
import { densityOutline, fullestBucket, packetOutline, SPIKE_HEIGHT_PX } from "./density";
import { findingBars } from "./findingBars";
import { crowdShapes, crowdsOf, isCounted } from "./levels";
import { placeLabels, type Label } from "./labels";
import { instancesOf, isChosen, matchesFilter, slotOf } from "./marks";
import { overviewShapes } from "./overview";
import { dropLine, shapesOf, toothLength, type Brush, type Shape } from "./shapes";
import { liftOf } from "./stacking";
import type { TimeAxis } from "./timeAxis";
import { windowEnd } from "./timeWindow";
import type { Tokens } from "./tokens";
import type { Selection } from "./urlState";

export interface ChartView {
  axis: TimeAxis;
  geometry: ChartGeometry;
  selection: Selection | null;
  /** Id of the mark under the pointer or the keyboard's cursor. */
  currentMark: string | null;
  filter: string;
}

export interface ChartContent {
  timeline: Timeline;
  /** The same for all data: the strip below. */
  overview: Timeline;
  /** Marks in view, as `visibleMarks` gives them. */
  marks: Mark[];
  findings: readonly Finding[];
  letters: ReadonlyMap<string, string>;
  /** Findings with a row of bars, and how many have none. */
  findingRows: { rows: readonly string[]; more: number };
  /** Instances the selection lights up, as `chosenGroups` gives them. */
  chosen: ReadonlySet<string>;
}

export interface CustomSeries {
  id: string;
  type: "custom";
  xAxisIndex: number;
  yAxisIndex: number;
  silent: boolean;
  animation: false;
  progressive: 0;
  clip: boolean;
  z: number;
  data: [number, number][];
  renderItem: (params: { dataIndex: number }) => Shape | undefined;
}

/** Later is drawn above; a missing packet above all. */
const ORDER: Mark["glyph"][] = [
  "guide", "band", "comb", "bracket", "ladder", "path", "note", "step", "instant", "repeat", "pair", "missing",
];
const FADED = 0.15;
const UNSELECTED = 0.55;
/** A leader begins beside its glyph, not in it. */
const LEADER_FROM_PX = 8;
const LEADER_DOWN_PX = 5;

export function buildOption(view: ChartView, content: ChartContent, tokens: Tokens) {
  const { axis, geometry } = view;
  const w = axis.window;
  const { span } = content.timeline;
  const length = Math.max(span.to, 1);
  return {
    animation: false,
    aria: { enabled: false },
    grid: [
      { left: 0, right: 0, top: 0, height: geometry.lanesBottom },
      { left: 0, right: 0, top: geometry.overviewTop, height: OVERVIEW_HEIGHT },
    ],
    xAxis: [hiddenAxis(0, w.fromNs, windowEnd(w)), hiddenAxis(1, 0, length)],
    yAxis: [hiddenAxis(0, 0, 1), hiddenAxis(1, 0, 1)],
    // Takes part only so that the window is a value window: its own wheel and drag stay off.
    dataZoom: [{ type: "inside", xAxisIndex: 0, disabled: true, filterMode: "none", startValue: w.fromNs, endValue: windowEnd(w) }],
    series: [
      densitySeries(view, content, tokens),
      series("findings", 2, [[w.fromNs, 0]], () => group(findingBars(findingInput(view, content), axis.x, tokens))),
      crowdSeries(view, content, tokens),
      ...markSeries(view, content, tokens),
      labelSeries(view, content, tokens),
      overviewSeries(view, content, tokens),
    ],
  };
}

const hiddenAxis = (gridIndex: number, min: number, max: number) => ({
  type: "value" as const, gridIndex, min, max, show: false,
});

const group = (children: Shape[]): Shape => ({ type: "group", children });

/** Pixels are ours, not ECharts': its axes know no folds that pointer, ruler and tables could share. */
function series(id: string, z: number, data: [number, number][], draw: (index: number) => Shape | undefined, axis = 0): CustomSeries {
  return {
    id, type: "custom", xAxisIndex: axis, yAxisIndex: axis, silent: true, animation: false, progressive: 0,
    clip: true, z, data, renderItem: (params) => draw(params.dataIndex),
  };
}

function densitySeries(view: ChartView, content: ChartContent, tokens: Tokens): CustomSeries {
  const { rows, widthPx } = view.geometry;
  const { timeline } = content;
  const most = fullestBucket(timeline.lanes);
  return series("density", 1, rows.map((): [number, number] => [view.axis.window.fromNs, 0]), (index) => {
    const row = rows[index];
    const lane = timeline.lanes.find((candidate) => candidate.id === row?.lane.id);
    if (row === undefined || lane === undefined) return undefined;
    const on = { x: view.axis.x, floor: row.floor, heightPx: SPIKE_HEIGHT_PX, widthPx };
    const points = timeline.mode === "packets"
      ? packetOutline(timeline.packets, lane.id, on)
      : densityOutline(lane, timeline.bucket_ns, most, on);
    return { type: "polygon", shape: { points }, style: { fill: tokens.roles.neutral, opacity: 0.45 } };
  });
}

function findingInput(view: ChartView, content: ChartContent) {
  return {
    instances: instancesOf(content.marks), findings: content.findings, letters: content.letters, ...content.findingRows,
    selection: view.selection, widthPx: view.geometry.widthPx,
  };
}

function crowdSeries(view: ChartView, content: ChartContent, tokens: Tokens): CustomSeries {
  const crowds = crowdsOf(content.marks, view.geometry, view.axis);
  return series("crowds", 2, [[view.axis.window.fromNs, 0]], () => group(crowdShapes(crowds, view.geometry, tokens)));
}

/** Marks that are drawn as glyphs: all but those that are counted, and of these the instance that is looked at. */
export function glyphMarks(view: ChartView, content: ChartContent): Mark[] {
  const crowds = crowdsOf(content.marks, view.geometry, view.axis);
  const pointed = content.marks.find((mark) => mark.id === view.currentMark);
  const isLookedAt = (mark: Mark): boolean =>
    mark.id === view.currentMark || isSameEvent(mark, pointed) || (view.selection?.instance != null && isChosen(mark, content.chosen));
  return content.marks.filter((mark) => !isCounted(mark, crowds) || isLookedAt(mark));
}

/** What all marks are drawn with. */
interface Shared extends Pick<Brush, "x" | "accent" | "toothNs" | "tokens"> {
  pointed: Mark | undefined;
}

/** Bands, ladders and paths below, marks above: ids are stable, so that ECharts replaces like by like. */
function markSeries(view: ChartView, content: ChartContent, tokens: Tokens): CustomSeries[] {
  const pointed = content.marks.find((mark) => mark.id === view.currentMark);
  const drawn = glyphMarks(view, content);
  const shared: Shared = { x: view.axis.x, accent: accentOf(content), toothNs: Math.max(0, ...content.marks.map(toothLength)), tokens, pointed };
  const of = (id: string, z: number, glyphs: Mark["glyph"][]): CustomSeries => {
    const marks = drawn
      .filter((mark) => glyphs.includes(mark.glyph))
      .sort((a, b) => ORDER.indexOf(a.glyph) - ORDER.indexOf(b.glyph));
    const data = marks.map((mark): [number, number] => [mark.t, 0]);
    return series(id, z, data, (index) => drawMark(marks[index], shared, view, content));
  };
  return [
    of("guides", 2, ["guide", "note"]),
    of("bands", 3, ["band", "comb", "bracket"]),
    of("ladders", 4, ["ladder", "path"]),
    of("marks", 6, ["step", "instant", "repeat", "pair", "missing"]),
  ];
}

function drawMark(mark: Mark | undefined, shared: Shared, view: ChartView, content: ChartContent): Shape | undefined {
  if (mark === undefined) return undefined;
  const { pointed, ...dipped } = shared;
  const brush: Brush = {
    ...dipped, geometry: view.geometry, opacity: opacityOf(mark, view, content),
    strong: isSameEvent(mark, pointed) || mark.id === view.currentMark || isChosen(mark, content.chosen), slot: slotOf(mark, content.marks),
    lift: liftOf(mark, content.marks, view.axis),
  };
  const drop = mark.glyph === "missing" && brush.strong ? dropLine(mark, content.marks, brush) : [];
  return group([...drop, ...shapesOf(mark, brush)]);
}

/** Of the mark under the pointer all marks of the instance are drawn stronger, on every lane. */
const isSameEvent = (mark: Mark, pointed: Mark | undefined): boolean =>
  pointed?.instance != null && pointed.finding === mark.finding && pointed.instance === mark.instance;

/** Guides take the hue of what they explain. */
function accentOf(content: ChartContent): Mark["role"] {
  const first = content.marks.find((mark) => isChosen(mark, content.chosen) && mark.role !== "neutral" && mark.role !== "ok");
  return first?.role ?? "neutral";
}

function opacityOf(mark: Mark, view: ChartView, content: ChartContent): number {
  if (!matchesFilter(mark, content.timeline.lanes, view.filter)) return FADED;
  // A chosen instance stands out; with a whole finding chosen all its marks are equally strong.
  if (view.selection === null || isChosen(mark, content.chosen) || mark.id === view.currentMark) return 1;
  return mark.glyph === "missing" ? 1 : UNSELECTED;
}

function labelSeries(view: ChartView, content: ChartContent, tokens: Tokens): CustomSeries {
  const named = (mark: Mark): boolean =>
    mark.id === view.currentMark || (view.selection?.instance != null && isChosen(mark, content.chosen));
  const labels = placeLabels(glyphMarks(view, content), named, view.geometry, view.axis);
  return series("labels", 7, labels.map((label): [number, number] => [label.mark.t, 0]), (index) => {
    const label = labels[index];
    return label === undefined ? undefined : group([...leader(label, tokens), textShape(label, tokens)]);
  });
}

/** From a mark to its text, where that stands above or below. */
function leader(label: Label, tokens: Tokens): Shape[] {
  if (label.leaderFrom === null) return [];
  const side = label.align === "left" ? -1 : 1;
  const [x1, y1] = [label.x + side * LEADER_FROM_PX, label.leaderFrom + Math.sign(label.y - label.leaderFrom) * LEADER_DOWN_PX];
  return [{ type: "line", shape: { x1, y1, x2: label.x + side * 2, y2: label.y }, style: { stroke: tokens.textDim, lineWidth: 1, opacity: 0.7 } }];
}

function textShape(label: Label, tokens: Tokens): Shape {
  const ink = label.mark.role === "neutral" ? tokens.textDim : tokens.roleTexts[label.mark.role];
  return {
    type: "text",
    style: {
      text: label.text, x: label.x, y: label.y, fill: ink, textAlign: label.align, textVerticalAlign: "middle",
      fontSize: 11.5, fontWeight: label.bold ? 600 : 400, backgroundColor: tokens.surface, padding: [1, 3], borderRadius: 3,
    },
  };
}

function overviewSeries(view: ChartView, content: ChartContent, tokens: Tokens): CustomSeries {
  const pxPerNs = view.geometry.widthPx / Math.max(content.overview.span.to, 1);
  return series("overview", 1, [[0, 0]], () => group(overviewShapes(content.overview, view.geometry, (t) => t * pxPerNs, tokens)), 1);
}


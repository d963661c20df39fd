/** The RTT chart as a picture: bands, ranges and samples of the screen's own option. Pure. */
import type { HeldGroup, RoundTripChart } from "../api/roundTrips";
import { zeroWords, type Clock } from "../format/clock";
import { offset, stretch } from "../format/offset";
import { framed, DIM, EDGE_PX, HEAD_PX, ruled, written, type PictureWords } from "../pictures/frame";
import { svgOfLayer } from "../pictures/svg";
import type { Tick } from "../timeline/ticks";
import { linearAxis } from "../timeline/timeAxis";
import type { TimeWindow } from "../timeline/timeWindow";
import type { Tokens } from "../timeline/tokens";
import { buildOption, groupName, type RttContent, type RttView } from "./buildOption";
import { axisTicks, place, unitOf, type Panel } from "./scale";
import { detailWords, pairWords, placeWords } from "./words";

const LEFT_PX = 76;
/** Left and right of the plot. */
export const RTT_SIDES_PX = LEFT_PX + EDGE_PX;
const RULER_PX = 26;

export function rttPicture(view: RttView, content: RttContent, tokens: Tokens, ticks: readonly Tick[], words: PictureWords): string {
  const { geometry } = view;
  const axis = linearAxis(view.window, geometry.widthPx);
  const top = HEAD_PX + RULER_PX;
  const ruler = ticks.map((tick) => {
    const x = LEFT_PX + axis.x(tick.t);
    const lines = geometry.panels.map((panel) => ruled(x, top + panel.top, x, top + panel.top + panel.height, tokens.line)).join("");
    return lines + written(x, top - 8, tick.label, tokens, `${DIM} text-anchor="middle"`);
  }).join("");
  const frames = geometry.panels.map((panel) => frameOf(panel, top, geometry.widthPx, tokens)).join("");
  const option = buildOption(view, content, tokens);
  const drawn = option.series.map((series) => {
    if (series.type === "scatter") {
      const panel = geometry.panels[series.yAxisIndex];
      return panel === undefined ? "" : samples(series, panel, axis.x);
    }
    const api = { coord: ([t]: [number, number]) => [axis.x(t), 0] };
    return svgOfLayer(series.data.flatMap((_, dataIndex) => series.renderItem({ dataIndex }, api) ?? []));
  }).join("");
  const plot = `<clipPath id="plot"><rect width="${geometry.widthPx}" height="${geometry.height}"/></clipPath><g transform="translate(${LEFT_PX} ${top})" clip-path="url(#plot)">${drawn}</g>`;
  return framed(ruler + frames + plot, LEFT_PX + geometry.widthPx + EDGE_PX, RULER_PX + geometry.height, words, tokens);
}

export const contentOf = (chart: RoundTripChart, groups: readonly HeldGroup[]): RttContent =>
  ({ kinds: chart.kinds, groups, bucketNs: chart.bucket_ns, groupNames: chart.groups.map(groupName) });

/** Title, window, legend and source of what is drawn. */
export function rttWords(chart: RoundTripChart, w: TimeWindow, clock: Clock, source: string): PictureWords {
  return {
    title: "Round-trip times", facts: `window ${offset(w.fromNs, 6)} + ${stretch(w.durationNs)} · ${zeroWords(clock)} · ${detailWords(chart)}`,
    legend: ["gray: sample or range", "hatched: responses delayed and released together", "dashed: slope −1"], source,
  };
}

function frameOf(panel: Panel, top: number, widthPx: number, tokens: Tokens): string {
  const levels = axisTicks(panel.scale).map((tick) => {
    const y = top + panel.top + panel.height * (1 - place(panel.scale, tick.ms));
    return ruled(LEFT_PX, y, LEFT_PX + widthPx, y, tokens.line) + written(LEFT_PX - 8, y + 4, `${tick.label} ${unitOf(panel.scale)}`, tokens, `${DIM} text-anchor="end"`);
  }).join("");
  return levels + written(LEFT_PX, top + panel.top - 10, `${pairWords(panel.series)}  ${placeWords(panel.series)}`, tokens, ` font-weight="600"`);
}

interface Scatter {
  symbol: string;
  symbolSize: number;
  itemStyle: { color: string; opacity: number };
  data: readonly ([number, number] | { value: [number, number] })[];
}

/** All samples of a sort as one path, each pixel once: thousands stay small. */
function samples(series: Scatter, panel: Panel, x: (t: number) => number): string {
  const places = new Set(series.data.map((sample) => {
    const [t, share] = "value" in sample ? sample.value : sample;
    return `M${String(Math.round(x(t)))} ${String(Math.round(panel.top + panel.height * (1 - share)))}`;
  }));
  const cap = series.symbol === "circle" ? "round" : "square";
  const d = [...places].map((place) => `${place}h0`).join("");
  return `<path d="${d}" fill="none" stroke="${series.itemStyle.color}" stroke-opacity="${series.itemStyle.opacity}" stroke-width="${series.symbolSize}" stroke-linecap="${cap}"/>`;
}

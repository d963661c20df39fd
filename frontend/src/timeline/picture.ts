/** The timeline as a picture of its own: title, ruler, lanes, legend, window and source around the chart's own shapes. Pure. */
import type { Finding } from "../api/types";
import { buildOption, type ChartContent, type ChartView } from "./buildOption";
import { readTime, zeroWords, type Clock } from "../format/clock";
import { stretch } from "../format/offset";
import { marksText } from "./detail";
import { collapsedWords, RULER_HEIGHT } from "./laneLayout";
import { legendWords } from "./Legend";
import { crowdsOf } from "./levels";
import { DIM, EDGE_PX, framed, HEAD_PX, ruled, written, type PictureWords } from "../pictures/frame";
import { svgOf } from "../pictures/svg";
import type { Tick } from "./ticks";
import type { Tokens } from "./tokens";

const LEFT_PX = 176;
/** Left and right of the plot. */
export const PICTURE_SIDES_PX = LEFT_PX + EDGE_PX;

export function timelinePicture(view: ChartView, content: ChartContent, tokens: Tokens, ticks: readonly Tick[], words: PictureWords): string {
  const { geometry, axis } = view;
  const width = LEFT_PX + geometry.widthPx + EDGE_PX;
  const top = HEAD_PX + RULER_HEIGHT;
  const lanes = geometry.rows.map((row) => {
    const unseen = row.lane.captured || row.lane.role === "nat" || row.lane.role === "kernel" || row.lane.packets_total > 0 ? ""
      : `<rect x="${LEFT_PX}" y="${top + row.top}" width="${geometry.widthPx}" height="${row.height}" fill="${tokens.line}" fill-opacity="0.5"/>${written(LEFT_PX + 8, top + row.middle + 4, "not captured", tokens, DIM)}`;
    const line = ruled(EDGE_PX, top + row.top, width - EDGE_PX, top + row.top, tokens.line);
    return unseen + line + written(LEFT_PX - 12, top + row.middle + 4, row.lane.name, tokens, ` text-anchor="end"`);
  }).join("");
  const ruler = ticks.map((tick) => {
    const x = LEFT_PX + axis.x(tick.t);
    return ruled(x, top, x, top + geometry.lanesBottom, tokens.line) + written(x, top - 8, tick.label, tokens, `${DIM} text-anchor="middle"`);
  }).join("");
  const chart = buildOption(view, content, tokens).series
    .flatMap((series) => series.data.map((_, dataIndex) => series.renderItem({ dataIndex }))).map((shape) => (shape ? svgOf(shape) : "")).join("");
  const plot = `<clipPath id="plot"><rect width="${geometry.widthPx}" height="${geometry.height}"/></clipPath><g transform="translate(${LEFT_PX} ${top})" clip-path="url(#plot)">${chart}</g>`;
  const hidden = written(EDGE_PX, top + geometry.lanesBottom + 18, collapsedWords(geometry, content.overview.lanes_left), tokens, DIM);
  return framed(lanes + ruler + plot + hidden, width, RULER_HEIGHT + geometry.height, words, tokens);
}

/** Title, window, legend and source of what is drawn. */
export function timelineWords(view: ChartView, content: ChartContent, clock: Clock, source: string): PictureWords {
  const w = view.axis.window;
  return {
    title: pictureTitle(view.selection, content.findings, content.letters),
    facts: `window ${readTime(w.fromNs, clock, 6)} + ${stretch(w.durationNs)} · ${zeroWords(clock)} · ${marksText(content.marks.length, content.timeline)}`,
    legend: legendWords(content.marks, crowdsOf(content.marks, view.geometry, view.axis)), source,
  };
}

function pictureTitle(selection: { finding: string; instance: number | null } | null, findings: readonly Finding[], letters: ReadonlyMap<string, string>): string {
  const finding = findings.find((one) => one.id === selection?.finding) ?? findings[0];
  return finding === undefined ? "Timeline" : `${letters.get(finding.id) ?? ""} ${finding.title}${selection?.instance ? ` · instance ${selection.instance} of ${finding.count}` : ""}`.trim();
}

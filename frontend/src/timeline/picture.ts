/** The timeline as a picture of its own: title, ruler, lanes, legend, window and source around the chart's own shapes. Pure. */
import type { Finding } from "../api/types";
import { buildOption, type ChartContent, type ChartView } from "./buildOption";
import { RULER_HEIGHT } from "./laneLayout";
import { escapeXml, svgOf } from "./svg";
import type { Tick } from "./ticks";
import type { Tokens } from "./tokens";

export interface PictureWords {
  title: string;
  /** The window, the zero of its times, how much is in view. */
  facts: string;
  /** What the signs mean. */
  legend: string[];
  /** Investigation, files, version. */
  source: string;
}

const LEFT = 176;
const EDGE = 16;
const HEAD = 64;
const FOOT = 64;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

export function timelinePicture(view: ChartView, content: ChartContent, tokens: Tokens, ticks: readonly Tick[], words: PictureWords): string {
  const { geometry, axis } = view;
  const [width, height] = [LEFT + geometry.widthPx + EDGE, HEAD + RULER_HEIGHT + geometry.height + FOOT];
  const top = HEAD + RULER_HEIGHT;
  const written = (x: number, y: number, text: string, more = ""): string => `<text x="${x}" y="${y}" fill="${tokens.text}"${more}>${escapeXml(text)}</text>`;
  const dim = ` fill-opacity="0.72"`;
  const lanes = geometry.rows.map((row) => {
    const end = ` text-anchor="end"`;
    const unseen = row.lane.captured || row.lane.role === "nat" || row.lane.role === "kernel" || row.lane.packets_total > 0 ? ""
      : `<rect x="${LEFT}" y="${top + row.top}" width="${geometry.widthPx}" height="${row.height}" fill="${tokens.line}" fill-opacity="0.5"/>${written(LEFT + 8, top + row.middle + 4, "not captured", dim)}`;
    return `${unseen}<line x1="${EDGE}" x2="${width - EDGE}" y1="${top + row.top}" y2="${top + row.top}" stroke="${tokens.line}"/>${written(LEFT - 12, top + row.middle + 4, row.lane.name, end)}`;
  }).join("");
  const ruler = ticks.map((tick) => {
    const x = Math.round(LEFT + axis.x(tick.t));
    return `<line x1="${x}" x2="${x}" y1="${top}" y2="${top + geometry.lanesBottom}" stroke="${tokens.line}"/>${written(x, top - 8, tick.label, `${dim} text-anchor="middle"`)}`;
  }).join("");
  const chart = buildOption(view, content, tokens).series
    .flatMap((series) => series.data.map((_, dataIndex) => series.renderItem({ dataIndex }))).map((shape) => (shape ? svgOf(shape) : "")).join("");
  const foot = top + geometry.height + 24;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT}" font-size="12">`
    + `<title>${escapeXml(words.title)}</title><rect width="${width}" height="${height}" fill="${tokens.surface}"/>`
    + written(EDGE, 30, words.title, ` font-size="17" font-weight="680"`) + written(EDGE, 50, words.facts, dim)
    + lanes + ruler
    + `<clipPath id="plot"><rect width="${geometry.widthPx}" height="${geometry.height}"/></clipPath><g transform="translate(${LEFT} ${top})" clip-path="url(#plot)">${chart}</g>`
    + written(EDGE, foot, words.legend.join("   ·   "), dim) + written(EDGE, foot + 20, words.source, dim) + `</svg>`;
}

export function pictureTitle(selection: { finding: string; instance: number | null } | null, findings: readonly Finding[], letters: ReadonlyMap<string, string>): string {
  const finding = findings.find((one) => one.id === selection?.finding) ?? findings[0];
  return finding === undefined ? "Timeline" : `${letters.get(finding.id) ?? ""} ${finding.title}${selection?.instance ? ` · instance ${selection.instance} of ${finding.count}` : ""}`.trim();
}

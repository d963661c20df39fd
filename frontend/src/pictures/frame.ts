/** What every picture has around its drawing: title, window or figures, legend and source. Pure. */
import type { Tokens } from "../timeline/tokens";
import { escapeXml } from "./svg";

export interface PictureWords {
  title: string;
  /** The window, the zero of its times, how much is in view. */
  facts: string;
  /** What the signs mean. */
  legend: string[];
  /** Investigation, files, version. */
  source: string;
}

export const EDGE_PX = 16;
/** Where the drawing begins. */
export const HEAD_PX = 64;
const FOOT_PX = 64;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
export const DIM = ` fill-opacity="0.72"`;

/** A line of text in the theme's color; `more` are further attributes. */
export const written = (x: number, y: number, text: string, tokens: Tokens, more = ""): string =>
  `<text x="${Math.round(x)}" y="${Math.round(y)}" fill="${tokens.text}"${more}>${escapeXml(text)}</text>`;

export const ruled = (x1: number, y1: number, x2: number, y2: number, stroke: string, more = ""): string =>
  `<line x1="${Math.round(x1)}" y1="${Math.round(y1)}" x2="${Math.round(x2)}" y2="${Math.round(y2)}" stroke="${stroke}"${more}/>`;

/** One SVG. `drawing` begins at `HEAD_PX` and is `heightPx` high. */
export function framed(drawing: string, widthPx: number, heightPx: number, words: PictureWords, tokens: Tokens): string {
  const height = HEAD_PX + heightPx + FOOT_PX;
  const foot = HEAD_PX + heightPx + 24;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${height}" viewBox="0 0 ${widthPx} ${height}" font-family="${FONT}" font-size="12">`
    + `<title>${escapeXml(words.title)}</title><rect width="${widthPx}" height="${height}" fill="${tokens.surface}"/>`
    + written(EDGE_PX, 30, words.title, tokens, ` font-size="17" font-weight="680"`) + written(EDGE_PX, 50, words.facts, tokens, DIM)
    + drawing + written(EDGE_PX, foot, words.legend.join("   ·   "), tokens, DIM) + written(EDGE_PX, foot + 20, words.source, tokens, DIM) + `</svg>`;
}

/** The page a picture is of, without a secret that a shared link holds in its fragment. */
export const sourceOf = (path: string): string => `Stallscope · ${window.location.origin}${path}`;

/** The latency breakdown of a request as a picture: the bars of the screen. Pure. */
import type { RequestDetail, Segment } from "../api/requests";
import { DIM, EDGE_PX, framed, HEAD_PX, ruled, written, type PictureWords } from "../pictures/frame";
import type { Tokens } from "../timeline/tokens";
import { costSentence, KIND_WORDS, ms, placeBars } from "./segments";

const LABELS_PX = 120;
const TRACK_PX = 640;
const ROW_PX = 24;
const WHAT_PX = 380;
const QUARTERS = [0, 1, 2, 3, 4];

const inkOf = (kind: Segment["kind"], tokens: Tokens): string => {
  if (kind === "metadata") return tokens.roles.burst;
  if (kind === "dns") return tokens.roles.collision;
  return kind === "calls" ? tokens.roles.ok : tokens.roles.neutral;
};

export const whoAsked = (request: RequestDetail["request"]): string =>
  `${request.requester}:${request.requester_port} → ${request.responder}:${request.responder_port}`;

/** Title, total, legend and source of what is drawn. */
export function waterfallWords(detail: RequestDetail, source: string): PictureWords {
  const { request } = detail;
  return {
    title: `Latency breakdown: ${request.method ? `${request.method} ${request.path}` : "request, payload not readable"}`,
    facts: `${whoAsked(request)} · total ${ms(detail.total_ms ?? 0)} ms · status ${String(request.status ?? "none")}`,
    legend: [costSentence(detail) ?? "", "times in ms after the first byte of the request", "dashed: inferred"].filter((part) => part !== ""), source,
  };
}

export function waterfallPicture(detail: RequestDetail, tokens: Tokens, words: PictureWords): string {
  const total = detail.total_ms ?? 0;
  const bars = placeBars(detail);
  const bottom = HEAD_PX + (bars.length + 1) * ROW_PX;
  const axis = QUARTERS.map((n) => {
    const x = LABELS_PX + (TRACK_PX * n) / 4;
    return ruled(x, HEAD_PX + 16, x, bottom, tokens.line) + written(x, HEAD_PX + 10, `${ms((total * n) / 4)} ms`, tokens, `${DIM} text-anchor="middle"`);
  }).join("");
  const rows = bars.map((bar, at) => {
    const y = HEAD_PX + (at + 1) * ROW_PX;
    const [left, width] = [LABELS_PX + (TRACK_PX * bar.left) / 100, Math.max((TRACK_PX * bar.width) / 100, 2)];
    const dashed = bar.basis === "inferred" && bar.kind !== "own" ? ` stroke="${tokens.text}" stroke-dasharray="3 2"` : "";
    const frames = bar.first_frame === null ? "" : ` #${String(bar.first_frame)}`;
    const what = bar.kind === "own" ? "" : `${bar.line || bar.name}${frames}`;
    return written(LABELS_PX - 12, y + 14, KIND_WORDS[bar.kind], tokens, ` text-anchor="end"`)
      + `<rect x="${left.toFixed(1)}" y="${y + 3}" width="${width.toFixed(1)}" height="14" rx="2" fill="${inkOf(bar.kind, tokens)}"${dashed}/>`
      + written(LABELS_PX + TRACK_PX + 66, y + 14, `${ms(bar.counted_ms)} ms`, tokens, ` text-anchor="end" font-weight="600"`)
      + written(LABELS_PX + TRACK_PX + 80, y + 14, what.length > MOST_LETTERS ? `${what.slice(0, MOST_LETTERS - 1)}…` : what, tokens, DIM);
  }).join("");
  return framed(axis + rows, LABELS_PX + TRACK_PX + 80 + WHAT_PX + EDGE_PX, (bars.length + 1) * ROW_PX, words, tokens);
}

const MOST_LETTERS = 56;

/** The ladder as a picture: the steps of the screen, drawn as lines between vantage points. Pure. */
import type { ConnectionDetail, Lane } from "../api/types";
import { offset, stretch } from "../format/offset";
import { plural } from "../format/quantity";
import { DIM, EDGE_PX, framed, HEAD_PX, ruled, written, type PictureWords } from "../pictures/frame";
import type { Tokens } from "../timeline/tokens";
import { endpoint, milliseconds } from "./connectionWords";
import { ladderColumns, ladderSteps, withRuns, type Rung, type Run, type Step } from "./ladderSteps";

const TIME_PX = 140;
const COLUMN_PX = 200;
const ROW_PX = 34;
const COLUMNS_PX = 44;

interface Drawn {
  x: (lane: string) => number | null;
  tokens: Tokens;
}

/** Title, connect time, legend and source of what is drawn. */
export function ladderWords(detail: ConnectionDetail, source: string): PictureWords {
  const { connection } = detail;
  const connect = connection.connect_ms === null ? connection.outcome : `connect ${milliseconds(connection.connect_ms)} ms`;
  const baseline = detail.usual_connect_ms === null ? [] : [`baseline ${milliseconds(detail.usual_connect_ms)} ms`];
  return {
    title: `${endpoint(connection.client, connection.client_port)} → ${endpoint(connection.server, connection.server_port)}`,
    facts: [connect, ...baseline, "times after the first packet of the connection"].join(" · "),
    legend: ["● seen", "✖ expected and not seen", "dashed: not captured"], source,
  };
}

export function ladderPicture(detail: ConnectionDetail, tokens: Tokens, words: PictureWords): string {
  const seen = new Set([...detail.packets.map((packet) => packet.lane), ...detail.connection.missing_at]);
  const lanes = ladderColumns(detail.lanes).filter((lane) => seen.has(lane.id) || lane.role === "nat");
  const rows = withRuns(ladderSteps(detail));
  const x = (id: string): number | null => { const at = lanes.findIndex((lane) => lane.id === id); return at < 0 ? null : TIME_PX + (at + 0.5) * COLUMN_PX; };
  const bottom = HEAD_PX + COLUMNS_PX + rows.length * ROW_PX;
  const heads = lanes.map((lane) => head(lane, x(lane.id) ?? 0, bottom, tokens)).join("");
  const drawn = { x, tokens };
  const body = rows.map((row, at) => rowOf(row, HEAD_PX + COLUMNS_PX + (at + 0.6) * ROW_PX, drawn)).join("");
  // Beside the last vantage point.
  const framesPx = Math.max(0, ...rows.map((row) => (row.kind === "packet" ? FRAMES_LEFT_PX + frameWords(row).length * CHARACTER_PX : 0)));
  const width = Math.round(TIME_PX + Math.max(lanes.length - 0.5, 2.5) * COLUMN_PX + Math.max(framesPx, COLUMN_PX / 2) + EDGE_PX);
  return framed(heads + body, width, COLUMNS_PX + rows.length * ROW_PX, words, tokens);
}

const CHARACTER_PX = 7;
const FRAMES_LEFT_PX = 12;

const frameWords = (row: Rung): string =>
  `${row.sightings.map((seen) => `#${String(seen.frame)}`).join(" → ")}${row.missing.length > 0 && row.sightings.length > 0 ? ", then not seen" : ""}`;

/** Text on a plate of the surface's color: it stands over the line of a vantage point. */
function plated(x: number, y: number, text: string, tokens: Tokens, more: string, centered: boolean): string {
  const width = text.length * CHARACTER_PX;
  const left = Math.round(centered ? x - width / 2 : x - 2);
  return `<rect x="${left}" y="${Math.round(y) - 12}" width="${width}" height="15" fill="${tokens.surface}"/>${written(x, y, text, tokens, `${more}${centered ? ` text-anchor="middle"` : ""}`)}`;
}

function head(lane: Lane, x: number, bottom: number, tokens: Tokens): string {
  const dash = lane.captured ? "" : ` stroke-dasharray="4 4"`;
  return written(x, HEAD_PX + 16, lane.name, tokens, ` text-anchor="middle" font-weight="600"`) + ruled(x, HEAD_PX + 26, x, bottom, tokens.textDim, `${dash} stroke-opacity="0.5"`);
}

function rowOf(row: Step | Run, y: number, drawn: Drawn): string {
  const { tokens } = drawn;
  const across = (text: string): string => plated(TIME_PX, y, text, tokens, `${DIM} font-style="italic"`, false);
  if (row.kind === "fold") return across(`${stretch(row.gapNs)} without packets`);
  if (row.kind === "run") return across(`${plural(row.steps.length, "packet")} without anomaly`);
  const time = written(EDGE_PX, y + 4, offset(row.atNs), tokens, DIM);
  if (row.kind === "packet") return time + rung(row, y, drawn);
  const at = drawn.x(row.mark.lanes[0] ?? "");
  return at === null ? "" : `${time}<circle cx="${at}" cy="${y}" r="4" fill="${tokens.roles[row.mark.role]}"/>${plated(at + 10, y + 4, row.mark.label, tokens, DIM, false)}`;
}

function rung(row: Rung, y: number, { x, tokens }: Drawn): string {
  const xs = row.sightings.flatMap((seen) => x(seen.lane) ?? []);
  const missing = row.missing.flatMap((lane) => x(lane) ?? []).sort((a, b) => a - b)[0];
  const cross = missing === undefined || xs.length === 0 ? null : (Math.max(...xs) + missing) / 2;
  const ends = [...xs, ...(cross === null ? [] : [cross])];
  if (ends.length === 0) return "";
  const [left, right] = [Math.min(...ends), Math.max(...ends)];
  const ink = cross !== null ? tokens.roles.loss : row.what === "SYN retransmission" ? tokens.roles.ok : tokens.text;
  const dots = xs.map((at) => `<circle cx="${at}" cy="${y}" r="4" fill="${tokens.text}"/>`).join("");
  const tip = row.fromClient ? right : left;
  const side = row.fromClient ? -1 : 1;
  const arrow = left === right ? "" : `<path d="M${tip + side * 6} ${y}l${side * 7} -4v8z" fill="${ink}"/>`;
  const what = plated((left + right) / 2, y - 6, row.what, tokens, ` font-weight="600"`, true);
  const sign = cross === null ? "" : `<path d="M${cross - 5} ${y - 5}l10 10m0 -10l-10 10" stroke="${ink}" stroke-width="3"/>`;
  return ruled(left, y, right, y, ink) + dots + arrow + sign + what + plated(Math.max(...xs, right) + FRAMES_LEFT_PX, y + 4, frameWords(row), tokens, DIM, false);
}

/** Above the lanes: a row for each finding, with how long its instances lasted and its name. Pure. */
import type { Finding } from "../api/types";
import { plural } from "../format/quantity";
import { FINDING_ROW_PX, MOST_FINDING_ROWS } from "./laneLayout";
import type { Instance } from "./marks";
import type { Shape } from "./shapes";
import type { Tokens } from "./tokens";
import type { Selection } from "./urlState";

interface FindingRows {
  instances: readonly Instance[];
  findings: readonly Finding[];
  /** Ids of the findings that are drawn, a row each. */
  rows: readonly string[];
  /** Findings without a row. */
  more: number;
  letters: ReadonlyMap<string, string>;
  selection: Selection | null;
  widthPx: number;
}

const TOP = 9;
const BAR_HEIGHT = FINDING_ROW_PX - 4;
/** At the foot of the bar: when its instances were. */
const STRIP_PX = 5;
const CHARACTER_PX = 7.2;
const GLYPH_PX = 16;
const NAME_AIR_PX = 6;
/** Bars nearer to one another are drawn as one. */
const JOINED_PX = 3;

/** Which row is at that height. */
export const rowAt = (y: number): number => Math.floor((y - TOP) / FINDING_ROW_PX);

/** Ids of the findings that get a row: the first ones that have marks, and the selected one in any case. */
export function rowsOfFindings(findings: readonly Finding[], marked: ReadonlySet<string>, selected: string | undefined): { rows: string[]; more: number } {
  const known = findings.map((finding) => finding.id).filter((id) => marked.has(id));
  const first = known.slice(0, MOST_FINDING_ROWS);
  const rows = selected === undefined || first.includes(selected) || !known.includes(selected) ? first : [...first.slice(0, -1), selected];
  return { rows, more: known.length - rows.length };
}

export function findingBars(drawn: FindingRows, x: (t: number) => number, tokens: Tokens): Shape[] {
  const shapes = drawn.rows.flatMap((id, index) => {
    const finding = drawn.findings.find((one) => one.id === id);
    const own = drawn.instances.filter((instance) => instance.finding === id);
    if (finding === undefined) return [];
    const y = TOP + index * FINDING_ROW_PX;
    if (own.length === 0) return [dimText(`${drawn.letters.get(id) ?? ""}  ${finding.title}: none in view`, y + BAR_HEIGHT / 2, tokens)];
    return rowOf(finding, own, y, drawn, x, tokens);
  });
  return drawn.more > 0 ? [...shapes, moreText(drawn, tokens)] : shapes;
}

interface Extent {
  from: number;
  to: number;
}

/** One bar from the first to the last instance, the name in it, and at its foot when each instance was: text and instances do not meet. */
function rowOf(finding: Finding, own: readonly Instance[], y: number, drawn: FindingRows, x: (t: number) => number, tokens: Tokens): Shape[] {
  const chosen = own.filter((instance) => isChosen(instance, drawn.selection));
  const joinedNs = nsOf(JOINED_PX, x);
  const [all, looked] = [extentOf(own, drawn.widthPx, x), extentOf(chosen, drawn.widthPx, x)];
  if (all === null) return [];
  const role = own[0]?.role ?? "neutral";
  const name = nameOf(finding, drawn);
  // The chosen instance is the bar where the name has room in it; what fills the whole bar needs no strip.
  const isHome = looked !== null && looked.to - looked.from >= name.widthPx;
  const others = stretches(own, joinedNs).length === 1 ? [] : stretches(own.filter((instance) => !chosen.includes(instance)), joinedNs);
  const strips = [...others.map((one) => strip(one, y, 0.45, x, tokens)), ...(isHome ? [] : stretches(chosen).map((one) => strip(one, y, 1, x, tokens)))];
  return [
    bar(all, y, role, false, tokens), ...(isHome ? [bar(looked, y, role, true, tokens)] : []), ...strips,
    ...placed(name, isHome ? looked : all, role, y - (strips.length > 0 ? STRIP_PX / 2 : 0), drawn.widthPx, tokens),
  ];
}

/** From the first to the last of them, as far as they are in view. */
function extentOf(instances: readonly Instance[], widthPx: number, x: (t: number) => number): Extent | null {
  const inView = instances.filter((one) => x(one.to) >= 0 && x(one.from) <= widthPx);
  if (inView.length === 0) return null;
  const from = Math.max(Math.min(...inView.map((one) => x(one.from))), 0);
  const to = Math.min(Math.max(...inView.map((one) => x(one.to))), widthPx);
  return { from, to: Math.max(to, from + 3) };
}

/** How long so many pixels are where nothing is folded. */
function nsOf(px: number, x: (t: number) => number): number {
  const perNs = (x(1e9) - x(0)) / 1e9;
  return perNs > 0 ? px / perNs : 0;
}

const isChosen = (instance: Instance, selection: Selection | null): boolean =>
  selection !== null && instance.finding === selection.finding
  && (selection.instance === null || selection.instance === instance.instance);

/** Instances of one finding that overlap or are nearer than `gapNs`, as one: hundreds of thin fills above one another hide all of them. */
export function stretches(instances: readonly Instance[], gapNs = 0): Instance[] {
  const joined: Instance[] = [];
  for (const one of [...instances].sort((a, b) => compare(a.finding, b.finding) || a.from - b.from)) {
    const last = joined.at(-1);
    if (last?.finding === one.finding && one.from <= last.to + gapNs) joined[joined.length - 1] = { ...last, to: Math.max(last.to, one.to) };
    else joined.push(one);
  }
  return joined;
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function bar({ from, to }: Extent, y: number, role: Instance["role"], chosen: boolean, tokens: Tokens): Shape {
  const colour = tokens.roles[role];
  const style = { stroke: colour, lineWidth: chosen ? 1.6 : 0.6, fill: colour, fillOpacity: chosen ? 0.12 : 0.08, strokeOpacity: chosen ? 1 : 0.6 };
  return { type: "rect", shape: { x: from, y, width: to - from, height: BAR_HEIGHT, r: 4 }, style };
}

function strip(instance: Instance, y: number, opacity: number, x: (t: number) => number, tokens: Tokens): Shape {
  const left = x(instance.from);
  const shape = { x: left, y: y + BAR_HEIGHT - STRIP_PX, width: Math.max(x(instance.to) - left, 2), height: STRIP_PX };
  return { type: "rect", shape, style: { fill: tokens.roles[instance.role], fillOpacity: opacity } };
}

interface Name {
  text: string;
  /** With its glyph and the air around both. */
  widthPx: number;
}

function nameOf(finding: Finding, { selection, letters }: FindingRows): Name {
  const number = selection?.finding === finding.id && selection.instance !== null ? ` · ${selection.instance} of ${finding.count}` : "";
  const text = `${letters.get(finding.id) ?? ""}  ${finding.title}${number}`;
  return { text, widthPx: NAME_AIR_PX + GLYPH_PX + 4 + text.length * CHARACTER_PX + NAME_AIR_PX };
}

/** In its bar, else beside it where more room is. */
function placed({ text, widthPx }: Name, { from, to }: Extent, role: Instance["role"], y: number, chartPx: number, tokens: Tokens): Shape[] {
  const [before, behind] = [from, chartPx - to];
  const isInside = to - from >= widthPx;
  const isBefore = !isInside && behind < widthPx && before > behind;
  const left = (isInside ? from : isBefore ? Math.max(0, from - widthPx) : to) + NAME_AIR_PX;
  const room = Math.floor(((isBefore ? from : chartPx) - left - GLYPH_PX - 8) / CHARACTER_PX);
  if (room < 4) return [];
  const middle = y + BAR_HEIGHT / 2;
  return [
    roleGlyph(role, left + GLYPH_PX / 2, middle, tokens),
    {
      type: "text",
      style: {
        text: text.length > room ? `${text.slice(0, room - 1)}…` : text, x: left + GLYPH_PX + 4, y: middle, fill: tokens.text, textVerticalAlign: "middle",
        fontSize: 12, fontWeight: 600, ...(isInside ? {} : { stroke: tokens.surface, lineWidth: 3 }),
      },
    },
  ];
}

const HALF = 4;

/** The shape that repeats what the hue says, as chips and tables have it (ui/Glyph.tsx). */
function roleGlyph(role: Instance["role"], cx: number, cy: number, tokens: Tokens): Shape {
  const ink = tokens.roles[role];
  const stroke = { stroke: ink, lineWidth: 2.2, fill: "none" };
  const line = (points: [number, number][]): Shape => ({ type: "polyline", shape: { points: points.map(([dx, dy]) => [cx + dx * HALF, cy + dy * HALF]) }, style: stroke });
  switch (role) {
    case "loss": return { type: "group", children: [line([[-1, -1], [1, 1]]), line([[-1, 1], [1, -1]])] };
    case "burst": return line([[-1, 1], [-1, -1], [1, -1], [1, 1]]);
    case "stall": return line([[-1, -0.8], [1, -0.8], [1, 0.8], [-1, 0.8], [-1, -0.8]]);
    case "collision": return { type: "polygon", shape: { points: [[cx, cy - 5], [cx + 5, cy], [cx, cy + 5], [cx - 5, cy]] }, style: { fill: ink } };
    default: return { type: "circle", shape: { cx, cy, r: HALF }, style: { fill: ink } };
  }
}

function moreText(drawn: FindingRows, tokens: Tokens): Shape {
  const y = TOP + drawn.rows.length * FINDING_ROW_PX + 6;
  return dimText(`+${plural(drawn.more, "finding")}`, y, tokens);
}

const dimText = (text: string, y: number, tokens: Tokens): Shape =>
  ({ type: "text", style: { text, x: 6, y, fill: tokens.textDim, textVerticalAlign: "middle", fontSize: 11.5 } });

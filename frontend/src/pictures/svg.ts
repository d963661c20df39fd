/** Shapes of the chart as SVG: the picture that travels is drawn by what the screen is drawn by. Pure. */
import type { Shape } from "../timeline/shapes";

type Values = Record<string, unknown>;

const CHARACTER_PX = 6.4;

export const escapeXml = (text: string): string =>
  // Characters that XML 1.0 does not hold, at all, go.
  text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const number = (value: unknown): string => String(Math.round(Number(value) * 10) / 10);

function attributes(values: Record<string, string | number | null | undefined>): string {
  return Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`).join("");
}

function paint(style: Values): string {
  const stroke = style["stroke"] as string | undefined;
  return attributes({
    fill: (style["fill"] as string | undefined) ?? "none", stroke,
    "stroke-width": stroke === undefined ? null : number(style["lineWidth"] ?? 1),
    "stroke-dasharray": Array.isArray(style["lineDash"]) ? style["lineDash"].join(" ") : null,
    opacity: style["opacity"] as number | undefined,
    "fill-opacity": style["fillOpacity"] as number | undefined, "stroke-opacity": style["strokeOpacity"] as number | undefined,
  });
}

/** Whole pixels and steps from point to point: an outline of a thousand columns stays small. */
function outline(points: readonly (readonly number[])[], closed: boolean): string {
  const upright = points.length > 8;
  const at = (value: number | undefined): number => (upright ? Math.round(value ?? 0) : Math.round((value ?? 0) * 10) / 10);
  const [first, ...rest] = points;
  let [x, y] = [at(first?.[0]), at(first?.[1])];
  let d = `M${x} ${y}`;
  for (const point of rest) {
    const [dx, dy] = [at(point[0]) - x, at(point[1]) - y];
    if (dx === 0 && dy === 0) continue;
    d += dy === 0 ? `h${number(dx)}` : dx === 0 ? `v${number(dy)}` : `l${number(dx)} ${number(dy)}`;
    [x, y] = [x + dx, y + dy];
  }
  return closed ? `${d}z` : d;
}

const ANCHORS: Record<string, string> = { right: "end", center: "middle" };

function text(style: Values): string {
  const [x, y, said] = [Number(style["x"]), Number(style["y"]), String(style["text"])];
  const align = String(style["textAlign"] ?? "left");
  const width = said.length * CHARACTER_PX;
  const left = align === "right" ? x - width : align === "center" ? x - width / 2 : x;
  const plate = typeof style["backgroundColor"] === "string"
    ? `<rect${attributes({ x: number(left - 3), y: number(y - 8), width: number(width + 6), height: 16, rx: 3, fill: style["backgroundColor"] })}/>` : "";
  return `${plate}<text${attributes({
    x: number(x), y: number(y), fill: style["fill"] as string, "font-size": style["fontSize"] as number, "font-weight": style["fontWeight"] as number | undefined,
    "text-anchor": ANCHORS[align], "dominant-baseline": style["textVerticalAlign"] === "middle" ? "central" : null,
    stroke: style["stroke"] as string | undefined, "stroke-width": style["stroke"] ? (style["lineWidth"] as number) : null, "paint-order": style["stroke"] ? "stroke" : null,
  })}>${escapeXml(said)}</text>`;
}

/** One shape with all that is inside it. */
export function svgOf(shape: Shape): string {
  const [form, style] = [shape.shape ?? {}, shape.style ?? {}];
  const of = (...names: string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, number(form[name])]));
  switch (shape.type) {
    case "group": return (shape.children ?? []).map(svgOf).join("");
    case "circle": return `<circle${attributes(of("cx", "cy", "r"))}${paint(style)}/>`;
    case "line": return `<line${attributes(of("x1", "y1", "x2", "y2"))}${paint(style)}/>`;
    case "rect": return `<rect${attributes({ ...of("x", "y", "width", "height"), rx: form["r"] === undefined ? null : number(form["r"]) })}${paint(style)}/>`;
    case "polygon": return `<path d="${outline(form["points"] as number[][], true)}"${paint(style)}/>`;
    case "polyline": return `<path d="${outline(form["points"] as number[][], false)}"${paint(style)}/>`;
    case "text": return text(style);
  }
}

const flat = (shape: Shape): Shape[] => (shape.type === "group" ? (shape.children ?? []).flatMap(flat) : [shape]);

/** A rectangle without round corners, or a line, as a piece of a path in whole and half pixels; null for other shapes. */
function piece({ type, shape: form = {} }: Shape): string | null {
  const at = (name: string): number => Math.round(Number(form[name]) * 2) / 2;
  if (type === "line") return `M${at("x1")} ${at("y1")}L${at("x2")} ${at("y2")}`;
  if (type !== "rect" || form["r"] !== undefined) return null;
  const width = Math.max(at("width"), 0.5);
  return `M${at("x")} ${at("y")}h${width}v${Math.max(at("height"), 0.5)}h${-width}z`;
}

/** Shapes of one layer: rectangles and lines of one paint are one path, so that thousands stay small. */
export function svgOfLayer(shapes: readonly Shape[]): string {
  const paths = new Map<string, string[]>();
  const others: string[] = [];
  for (const shape of shapes.flatMap(flat)) {
    const drawn = piece(shape);
    if (drawn === null) {
      others.push(svgOf(shape));
      continue;
    }
    const key = paint(shape.style ?? {});
    const known = paths.get(key);
    if (known === undefined) paths.set(key, [drawn]);
    else known.push(drawn);
  }
  return [...paths].map(([key, pieces]) => `<path d="${pieces.join("")}"${key}/>`).join("") + others.join("");
}

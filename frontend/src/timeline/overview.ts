/** The strip below the lanes: all traffic of all lanes, and where the findings' instances are. */
import type { Role, Timeline } from "../api/types";
import { columnTotals, type Point } from "./density";
import type { ChartGeometry } from "./laneLayout";
import { MOST_GLYPHS } from "./levels";
import { instancesOf } from "./marks";
import type { Shape } from "./shapes";
import type { Tokens } from "./tokens";

const DENSITY_PX = 29;
/** Roles keep a row of their own, so that two sides of one event do not cover each other. */
const TICK_Y: Record<Role, number> = { loss: 8, collision: 17, stall: 17, burst: 17, ok: 17, neutral: 17 };

export function overviewShapes(all: Timeline, geometry: ChartGeometry, x: (t: number) => number, tokens: Tokens): Shape[] {
  // Instances on the same pixel in the same role are one tick.
  const columns = new Map<Role, Set<number>>();
  for (const instance of instancesOf(all.marks)) {
    const known = columns.get(instance.role);
    if (known) known.add(Math.round(x(instance.from)));
    else columns.set(instance.role, new Set([Math.round(x(instance.from))]));
  }
  const ticks = [...columns].flatMap(([role, places]) => {
    const y = geometry.overviewTop + TICK_Y[role];
    return places.size > MOST_GLYPHS ? [comb([...places], y, tokens.roles[role])] : [...places].map((px) => tick(role, px, y, tokens));
  });
  return [density(all, geometry, x, tokens), ...ticks];
}

/** Many ticks of a role as one shape: strokes instead of signs. */
function comb(places: number[], y: number, fill: string): Shape {
  const sorted = places.sort((a, b) => a - b);
  const base = y + 4;
  const points = [[sorted[0] ?? 0, base], ...sorted.flatMap((px) => [[px - 1, base], [px - 1, y - 4], [px + 1, y - 4], [px + 1, base]]), [sorted.at(-1) ?? 0, base]];
  return { type: "polygon", shape: { points }, style: { fill } };
}

function density(all: Timeline, geometry: ChartGeometry, x: (t: number) => number, tokens: Tokens): Shape {
  const totals = columnTotals(all.lanes, all.packets, x, geometry.widthPx);
  const most = totals.reduce((high, value) => Math.max(high, value), 1);
  const floor = geometry.overviewFloor;
  const points: Point[] = [[0, floor]];
  totals.forEach((packets, column) => {
    if (packets <= 0) return;
    const top = floor - Math.max((packets / most) * DENSITY_PX, 1);
    points.push([column, floor], [column, top], [column + 1, top], [column + 1, floor]);
  });
  points.push([geometry.widthPx, floor]);
  return { type: "polygon", shape: { points }, style: { fill: tokens.roles.neutral, opacity: 0.45 } };
}

function tick(role: Role, x: number, y: number, tokens: Tokens): Shape {
  const colour = tokens.roles[role];
  if (role === "loss") {
    const line = (y1: number, y2: number): Shape => ({
      type: "line", shape: { x1: x - 3, y1, x2: x + 3, y2 }, style: { stroke: colour, lineWidth: 2 },
    });
    return { type: "group", children: [line(y - 3, y + 3), line(y + 3, y - 3)] };
  }
  if (role === "collision") {
    return { type: "polygon", shape: { points: [[x, y - 4], [x + 4, y], [x, y + 4], [x - 4, y]] }, style: { fill: colour } };
  }
  return { type: "rect", shape: { x: x - 1.5, y: y - 4, width: 3, height: 8 }, style: { fill: colour } };
}

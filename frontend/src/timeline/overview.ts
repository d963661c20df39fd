/** The strip below the lanes: all traffic of all lanes, and where the findings' instances are. */
import type { Role, Timeline } from "../api/types";
import { columnTotals, type Point } from "./density";
import type { ChartGeometry } from "./laneLayout";
import { instancesOf } from "./marks";
import type { Shape } from "./shapes";
import type { Tokens } from "./tokens";

const DENSITY_PX = 29;
/** Roles keep a row of their own, so that two sides of one event do not cover each other. */
const TICK_Y: Record<Role, number> = { loss: 8, collision: 17, stall: 17, burst: 17, ok: 17, neutral: 17 };

export function overviewShapes(all: Timeline, geometry: ChartGeometry, x: (t: number) => number, tokens: Tokens): Shape[] {
  const ticks = new Map<string, Shape>();
  for (const instance of instancesOf(all.marks)) {
    const px = Math.round(x(instance.from));
    // Instances on the same pixel in the same role are one tick.
    ticks.set(`${instance.role}${px}`, tick(instance.role, px, geometry.overviewTop + TICK_Y[instance.role], tokens));
  }
  return [density(all, geometry, x, tokens), ...ticks.values()];
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

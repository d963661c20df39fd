/** How much of each mark is drawn: counts where a lane holds many of a role, glyphs where it holds some. Pure. */
import type { TimelineMark as Mark } from "../api/types";
import type { ChartGeometry } from "./laneLayout";
import type { Shape } from "./shapes";
import type { TimeAxis } from "./timeAxis";
import type { Tokens } from "./tokens";

/** More marks of a role in a lane are drawn as counts. */
export const MOST_GLYPHS = 60;
/** Width of what is counted together. */
const COLUMN_PX = 8;
const AIR_PX = 10;

export interface Crowd {
  lane: string;
  role: Mark["role"];
  marks: number;
  /** Marks by column of `COLUMN_PX` from the left edge. */
  columns: ReadonlyMap<number, number>;
}

/** Teeth and intervals say something by their shape, however many there are. */
const NEVER_COUNTED: Mark["glyph"][] = ["guide", "note", "step", "comb", "band"];
const keyOf = (lane: string, role: Mark["role"]): string => `${lane}\n${role}`;

/** Lanes and roles with too many marks in view for glyphs. */
export function crowdsOf(marks: readonly Mark[], geometry: ChartGeometry, axis: TimeAxis): ReadonlyMap<string, Crowd> {
  const shown = new Set(geometry.rows.map((row) => row.lane.id));
  const found = new Map<string, { lane: string; role: Mark["role"]; marks: number; columns: Map<number, number> }>();
  for (const mark of marks) {
    if (NEVER_COUNTED.includes(mark.glyph)) continue;
    const column = Math.floor(Math.min(Math.max(axis.x(mark.t), 0), geometry.widthPx - 1) / COLUMN_PX);
    for (const lane of mark.lanes.filter((id) => shown.has(id))) {
      const key = keyOf(lane, mark.role);
      const crowd = found.get(key) ?? { lane, role: mark.role, marks: 0, columns: new Map<number, number>() };
      crowd.marks += 1;
      crowd.columns.set(column, (crowd.columns.get(column) ?? 0) + (mark.count ?? 1));
      found.set(key, crowd);
    }
  }
  return new Map([...found].filter(([, crowd]) => crowd.marks > MOST_GLYPHS));
}

/** Whether a mark is only counted. Poles and rails that end in one such lane are left out altogether. */
export const isCounted = (mark: Mark, crowds: ReadonlyMap<string, Crowd>): boolean =>
  crowds.size > 0 && !NEVER_COUNTED.includes(mark.glyph) && mark.lanes.some((lane) => crowds.has(keyOf(lane, mark.role)));

/** Fullest column of all, for the height of the others. */
export const fullestColumn = (crowds: ReadonlyMap<string, Crowd>): number =>
  Math.max(0, ...[...crowds.values()].flatMap((crowd) => [...crowd.columns.values()]));

/** One polygon a lane and role; roles of one lane stand side by side in each column. Heights are logarithmic: one mark among hundreds is seen. */
export function crowdShapes(crowds: ReadonlyMap<string, Crowd>, geometry: ChartGeometry, tokens: Tokens): Shape[] {
  const most = Math.log2(1 + fullestColumn(crowds));
  return [...crowds.values()].flatMap((crowd): Shape[] => {
    const row = geometry.rows.find((one) => one.lane.id === crowd.lane);
    if (row === undefined) return [];
    const beside = [...crowds.values()].filter((other) => other.lane === crowd.lane);
    const width = (COLUMN_PX - 1) / beside.length;
    const points: [number, number][] = [[0, row.floor]];
    for (const [column, number] of [...crowd.columns].sort(([a], [b]) => a - b)) {
      const left = column * COLUMN_PX + beside.indexOf(crowd) * width;
      const top = row.floor - (row.floor - row.top - AIR_PX) * (Math.log2(1 + number) / most);
      points.push([left, row.floor], [left, top], [left + width, top], [left + width, row.floor]);
    }
    return [{ type: "polygon", shape: { points: [...points, [geometry.widthPx, row.floor]] }, style: { fill: tokens.roles[crowd.role], opacity: 0.9 } }];
  });
}

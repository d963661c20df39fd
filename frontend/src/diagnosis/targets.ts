/** The order and the pages of a cause's destinations. */
import type { GroupRow } from "../api/types";

export type Sort = "destination" | "affected" | "share" | "longest" | "lost";

const NUMBERS: Record<Exclude<Sort, "destination">, (row: GroupRow) => number> = {
  affected: (row) => row.impact.affected,
  share: (row) => row.impact.affected / Math.max(1, row.impact.total),
  longest: (row) => row.impact.longest_s,
  lost: (row) => row.time_lost_s,
};

/** By the column, of equals as they came; addresses by their numbers. */
export function sorted(rows: readonly GroupRow[], by: Sort, descending: boolean): GroupRow[] {
  const sign = descending ? -1 : 1;
  if (by === "destination") {
    const compare = new Intl.Collator("en", { numeric: true }).compare;
    return [...rows].sort((a, b) => sign * compare(a.impact.destination, b.impact.destination));
  }
  const number = NUMBERS[by];
  return [...rows].sort((a, b) => sign * (number(a) - number(b)));
}

export interface Bar {
  /** Percentile of the destinations. */
  at: number;
  value: number;
}

const PERCENTILES = [50, 75, 90, 95, 99, 100];

/** Nearest rank: every value is one that was measured. */
export function percentiles(values: readonly number[]): Bar[] {
  const ascending = [...values].sort((a, b) => a - b);
  return PERCENTILES.map((at) => ({ at, value: ascending[Math.max(0, Math.ceil((at / 100) * ascending.length) - 1)] ?? 0 }));
}

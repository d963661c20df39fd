/** The figures of a verdict: share of all, time lost, ratio to the baseline, to whom. */
import type { CauseGroup, Diagnosis, Impact } from "../api/types";
import { count, duration, percent } from "../format/quantity";

export interface Tile {
  name: string;
  value: string;
  /** What it is measured against. */
  note?: string;
}

/** Figures of the report that are numbers of the impact, too. */
const OF_IMPACT = new Set(["time lost", "max", "baseline", "connections", "lookups", "to"]);

export function share(part: number, whole: number): string {
  if (whole <= 0) return "";
  return percent(part / whole);
}

/** "1,977 times the baseline of 0.52 ms": below twice it, nothing is worth saying. */
function ratio(longest_s: number, baseline_s: number | null): string | undefined {
  if (!baseline_s || longest_s < 2 * baseline_s) return undefined;
  return `${count(Math.round(longest_s / baseline_s))} × the baseline of ${duration(baseline_s)}`;
}

const affected = ({ unit, affected: part, total }: Pick<Impact, "unit" | "affected" | "total">): Tile => ({
  name: unit, value: `${count(part)} of ${count(total)}`, note: share(part, total),
});

function tilesOfImpact(impact: Impact, time_lost_s: number): Tile[] {
  const others = impact.other_destinations;
  return [
    affected(impact),
    ...(time_lost_s > 0 ? [{ name: "time lost", value: duration(time_lost_s) }] : []),
    { name: "longest", value: duration(impact.longest_s), note: ratio(impact.longest_s, impact.baseline_s) },
    { name: "to", value: impact.destination, note: others > 0 ? `and ${count(others)} other destination${others === 1 ? "" : "s"}` : undefined },
  ];
}

export function tilesOf(diagnosis: Diagnosis, group: CauseGroup | null): Tile[] {
  if (group) {
    return [
      affected(group),
      ...(group.time_lost_s > 0 ? [{ name: "time lost", value: duration(group.time_lost_s) }] : []),
      { name: "longest", value: duration(group.longest_s) },
      { name: "destinations", value: count(group.destinations) },
    ];
  }
  const { impact, figures, time_lost_s } = diagnosis;
  if (impact) return [...tilesOfImpact(impact, time_lost_s), ...figures.filter((figure) => !OF_IMPACT.has(figure.name))];
  const rest = figures.filter((figure) => figure.name !== "time lost");
  return time_lost_s > 0 ? [{ name: "time lost", value: duration(time_lost_s) }, ...rest] : rest;
}

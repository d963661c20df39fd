/** The time that runs of a pipeline lost, as a line. */
import type { Run } from "../api/runs";

/** Seconds lost per finished run, the oldest first: a run that did not finish lost an unknown time, not none. */
export function lostSeconds(runs: Pick<Run, "analysis" | "time_lost_s">[]): number[] {
  return runs.filter((run) => run.analysis === "finished").map((run) => run.time_lost_s).reverse();
}

/** Points of a line, each between 0 and 1 from the left and from the top; from zero, so that heights compare. */
export function trendPoints(values: number[]): { x: number; y: number }[] {
  const most = Math.max(...values, 0);
  return values.map((value, at) => ({ x: values.length > 1 ? at / (values.length - 1) : 1, y: most > 0 ? 1 - value / most : 1 }));
}

/** Runs of pipelines: investigations with the same label, the newest first. */
import type { Investigation } from "../api/types";

export interface RunGroup {
  label: string;
  runs: Investigation[];
}

/** By label, in the order of the newest run of each. Investigations without a label belong to no row of runs. */
export function runsByLabel(investigations: Investigation[]): RunGroup[] {
  const groups = new Map<string, Investigation[]>();
  for (const run of [...investigations].sort((a, b) => b.created.localeCompare(a.created))) {
    const label = run.label.trim();
    if (label) groups.set(label, [...(groups.get(label) ?? []), run]);
  }
  return [...groups].map(([label, runs]) => ({ label, runs }));
}

/** Seconds lost per finished run, the oldest first: a run that did not finish lost an unknown time, not none. */
export function lostSeconds(runs: Investigation[]): number[] {
  return runs.filter((run) => run.analysis === "finished").map((run) => run.time_lost_s).reverse();
}

/** Points of a line, each between 0 and 1 from the left and from the top; from zero, so that heights compare. */
export function trendPoints(values: number[]): { x: number; y: number }[] {
  const most = Math.max(...values, 0);
  return values.map((value, at) => ({ x: values.length > 1 ? at / (values.length - 1) : 1, y: most > 0 ? 1 - value / most : 1 }));
}

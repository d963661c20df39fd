/** The window that a timeline opens on where none is asked for. Pure. */
import type { Report, Timeline } from "../api/types";
import { instancesOf, type Instance } from "./marks";
import { wholeWindow, windowAround, type TimeWindow } from "./timeWindow";
import type { Selection } from "./urlState";

/** Ids of findings, the most telling first: those of diagnoses, then all. */
export const tellingOf = (report: Pick<Report, "diagnoses" | "findings"> | null | undefined): string[] =>
  [...(report?.diagnoses ?? []).flatMap((diagnosis) => diagnosis.findings), ...(report?.findings ?? []).map((finding) => finding.id)];

/** `selected` is written as in the address: `finding~instance`. */
export function openingWindow(overview: Timeline, selected: string | undefined, telling: readonly string[]): TimeWindow {
  const instances = instancesOf(overview.marks);
  const [finding, instance] = (selected ?? "").split("~");
  const wanted = [finding, ...telling].find((id) => instances.some((one) => one.finding === id));
  if (wanted === undefined) return wholeWindow(overview.span);
  return fitted(instances, { finding: wanted, instance: Number(instance) || null, mark: null }, overview.span);
}

/** From the first to the last instance of what is selected; all data without a selection. */
export function fitted(instances: readonly Instance[], selection: Selection | null, span: { from: number; to: number }): TimeWindow {
  const own = instances.filter((instance) => instance.finding === selection?.finding
    && (selection.instance === null || selection.instance === instance.instance));
  if (own.length === 0) return wholeWindow(span);
  return windowAround(Math.min(...own.map((one) => one.from)), Math.max(...own.map((one) => one.to)), span);
}

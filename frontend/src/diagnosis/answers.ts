/** What a reader gets an answer to: each diagnosis that stands alone, and the first of each group. */
import type { CauseGroup, Diagnosis, Report } from "../api/types";

export interface Answer {
  diagnosis: Diagnosis;
  group: CauseGroup | null;
}

export function answersOf({ diagnoses, groups = [] }: Pick<Report, "diagnoses" | "groups">): Answer[] {
  const first = new Map(groups.map((group) => [group.diagnoses[0], group]));
  const others = new Set(groups.flatMap((group) => group.diagnoses.slice(1)));
  return diagnoses.filter((each) => !others.has(each.id)).map((diagnosis) => ({ diagnosis, group: first.get(diagnosis.id) ?? null }));
}

/** The sentence that stands for the answer. */
export const statementOf = ({ diagnosis, group }: Answer): string => group?.statement ?? diagnosis.statement;

export const timeLostOf = ({ diagnosis, group }: Answer): number => group?.time_lost_s ?? diagnosis.time_lost_s;

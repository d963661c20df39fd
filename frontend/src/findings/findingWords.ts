/** What can be said of a finding beside its own words. */
import type { Finding, Report, Role } from "../api/types";

/** Its kind of trouble: that of the diagnosis that takes it up, else that of most of its marks. */
export function roleOf(report: Pick<Report, "diagnoses">, finding: Finding): Role {
  const diagnosis = report.diagnoses.find((each) => each.findings.includes(finding.id));
  if (diagnosis) return diagnosis.role;
  return finding.role;
}

/** Of the first table of a finding's page. */
export const INSTANCES_ID = "instances";

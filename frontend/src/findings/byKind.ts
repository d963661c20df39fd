/** Findings of one kind together, in the order of the first of each. */
import type { Finding } from "../api/types";

export interface Kind {
  kind: string;
  findings: [Finding, ...Finding[]];
}

export function byKind(findings: readonly Finding[]): Kind[] {
  const found = new Map<string, Kind>();
  for (const finding of findings) {
    const known = found.get(finding.kind);
    if (known) known.findings.push(finding);
    else found.set(finding.kind, { kind: finding.kind, findings: [finding] });
  }
  return [...found.values()];
}

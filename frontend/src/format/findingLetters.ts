/** A, B, … for findings in the report's order. */
export function lettersOf(findings: readonly { id: string }[]): ReadonlyMap<string, string> {
  return new Map(findings.map((finding, index) => [finding.id, letterOf(index)]));
}

function letterOf(index: number): string {
  const rest = index < 26 ? "" : letterOf(Math.floor(index / 26) - 1);
  return rest + String.fromCharCode(65 + (index % 26));
}

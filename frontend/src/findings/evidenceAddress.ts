/** The `evidence` parameter: `<input>#f<frame>` or `<input>#l<first>` / `<input>#l<first>-<last>`. */
import type { Evidence } from "../api/types";

export interface EvidenceTarget {
  input: string;
  kind: "frame" | "line";
  first: number;
  /** Same as `first` but for a run of dump lines. */
  last: number;
}

export function evidenceParameter(target: EvidenceTarget): string {
  const letter = target.kind === "frame" ? "f" : "l";
  const end = target.last > target.first ? `-${target.last}` : "";
  return `${target.input}#${letter}${target.first}${end}`;
}

export function parseEvidenceParameter(text: string | undefined): EvidenceTarget | null {
  const match = /^(.+)#([fl])(\d+)(?:-(\d+))?$/s.exec(text ?? "");
  if (!match?.[1]) return null;
  const first = Number(match[3]);
  return { input: match[1], kind: match[2] === "f" ? "frame" : "line", first, last: Number(match[4] ?? first) };
}

/** Neighbouring line numbers joined to runs: [4,5,6,9] -> 4-6, 9. */
export function lineRuns(lines: number[]): { first: number; last: number }[] {
  const runs: { first: number; last: number }[] = [];
  for (const line of [...lines].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && line <= run.last + 1) run.last = line;
    else runs.push({ first: line, last: line });
  }
  return runs;
}

/** Everything a list of evidence points at, each place once. */
export function targetsOf(evidence: Evidence[]): EvidenceTarget[] {
  const all = evidence.flatMap((part): EvidenceTarget[] => [
    ...part.frames.map((frame) => ({ input: part.input, kind: "frame" as const, first: frame, last: frame })),
    ...lineRuns(part.lines).map((run) => ({ input: part.input, kind: "line" as const, ...run })),
  ]);
  return [...new Map(all.map((target) => [evidenceParameter(target), target])).values()];
}

/** Different frames that these name. */
export function framesIn(evidence: readonly Evidence[]): number {
  return new Set(evidence.flatMap((part) => part.frames.map((frame) => `${part.input}#${frame}`))).size;
}

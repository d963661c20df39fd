/** What a running analysis has found: those that are being read stay in place, new ones wait for a click. */
import { useState } from "react";

import type { FindingSoFar, Progress } from "../api/types";
import { duration, plural } from "../format/quantity";
import { RoleGlyph } from "../ui/Glyph";

/** Those shown and those that came since, both in the order in which they came. The first to come are shown at once. */
export function splitByShown(found: readonly FindingSoFar[], shown: ReadonlySet<string>) {
  if (!found.some((finding) => shown.has(finding.id))) return { visible: found, waiting: [] };
  return {
    visible: found.filter((finding) => shown.has(finding.id)),
    waiting: found.filter((finding) => !shown.has(finding.id)),
  };
}

export function FindingsSoFar({ progress }: { progress: Pick<Progress, "findings_so_far" | "found_so_far"> }) {
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const { visible, waiting } = splitByShown(progress.found_so_far, shown);
  const isFirst = visible.length > 0 && !visible.some((finding) => shown.has(finding.id));
  if (isFirst) setShown(idsOf(visible)); // while drawing: none of them may slip behind the button
  const unlisted = progress.findings_so_far - progress.found_so_far.length;
  return (
    <section aria-label="Findings so far" className="so-far" data-testid="findings-so-far">
      <p role="status">
        <strong>{plural(progress.findings_so_far, "finding")} so far.</strong>{" "}
        <span className="dim">Causes are named when all detectors have finished.</span>
      </p>
      <ul>
        {visible.map((finding) => (
          <Row key={finding.id} finding={finding} />
        ))}
      </ul>
      {waiting.length > 0 && (
        <button type="button" className="button" data-testid="show-new-findings" onClick={() => setShown(idsOf(progress.found_so_far))}>
          {plural(waiting.length, "new finding")} · show
        </button>
      )}
      {unlisted > 0 && <p className="dim">{plural(unlisted, "more finding")} will be in the report.</p>}
    </section>
  );
}

function idsOf(findings: readonly FindingSoFar[]): ReadonlySet<string> {
  return new Set(findings.map((finding) => finding.id));
}

function Row({ finding }: { finding: FindingSoFar }) {
  return (
    <li data-testid="finding-so-far" data-kind={finding.kind}>
      <RoleGlyph role={finding.role} />
      <span>{finding.title}</span>
      <span className="dim so-far-figures">
        {plural(finding.count, "instance")}
        {finding.time_lost_s > 0 && ` · ${duration(finding.time_lost_s)} lost`}
      </span>
      <span className="so-far-word">so far</span>
    </li>
  );
}

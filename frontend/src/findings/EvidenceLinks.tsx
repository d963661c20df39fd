/** Links from a sentence to the frames and dump lines that prove it. They open the side panel. */
import { useState } from "react";

import type { Evidence } from "../api/types";
import { plural } from "../format/quantity";
import { RouteLink, useHrefWith } from "../ui/RouteLink";
import { evidenceParameter, framesIn, targetsOf, type EvidenceTarget } from "./evidenceAddress";

const SHOWN_AT_FIRST = 4;

function words(target: EvidenceTarget, inputs: number): string {
  if (target.kind === "frame") return inputs > 1 ? `${target.input} #${target.first}` : `#${target.first}`;
  const lines = target.last > target.first ? `${target.first}–${target.last}` : String(target.first);
  return `${target.input}:${lines}`;
}

export function EvidenceLink({ target, children }: { target: EvidenceTarget; children?: React.ReactNode }) {
  const hrefWith = useHrefWith();
  const what = target.kind === "frame" ? `frame ${target.first}` : `line ${target.first}`;
  return (
    <RouteLink
      className="evidence-link"
      data-evidence={target.kind}
      href={hrefWith({ evidence: evidenceParameter(target) })}
      title={`${target.input}, ${what}`}
    >
      {children ?? words(target, 1)}
    </RouteLink>
  );
}

interface EvidenceLinksProps {
  evidence: Evidence[];
  shown?: number;
  /** How many different frames there are in all, where `evidence` may be a part of them. */
  frames_total?: number;
  /** The rest is only counted, where a row has no room. */
  fixed?: boolean;
}

/** `evidence` as in the report; the first few links, the rest on demand. */
export function EvidenceLinks({ evidence, shown = SHOWN_AT_FIRST, frames_total, fixed = false }: EvidenceLinksProps) {
  const [all, setAll] = useState(false);
  const targets = targetsOf(evidence);
  const inputs = new Set(evidence.filter((part) => part.frames.length > 0).map((part) => part.input)).size;
  // In a row of fixed height names of files leave room for one link.
  const visible = all ? targets : targets.slice(0, fixed && inputs > 1 ? 1 : shown);
  if (!targets.length) return null;
  const elsewhere = Math.max(0, (frames_total ?? 0) - framesIn(evidence));
  return (
    <span className="evidence-links">
      {visible.map((target) => (
        <EvidenceLink key={evidenceParameter(target)} target={target}>
          {words(target, inputs)}
        </EvidenceLink>
      ))}
      {fixed && targets.length > visible.length && <span className="dim">+{targets.length - visible.length}</span>}
      {!fixed && targets.length > visible.length && (
        <button type="button" className="link-button evidence-more" onClick={() => setAll(true)}>
          +{targets.length - visible.length} more
        </button>
      )}
      {elsewhere > 0 && visible.length === targets.length && <span className="dim">and {plural(elsewhere, "more frame")}</span>}
    </span>
  );
}

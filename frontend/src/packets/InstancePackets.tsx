/** The packets of one instance of a finding, as a capture. */
import { useMemo, useState } from "react";

import { useSource } from "../api/source";
import type { Finding } from "../api/types";
import { count } from "../format/quantity";
import { CarveButton } from "./CarveButton";
import "./packets.css";

/** Different frames of each instance that has any. */
export function framesByInstance(finding: Pick<Finding, "marks">): Map<number, number> {
  const found = new Map<number, Set<string>>();
  for (const mark of finding.marks) {
    if (mark.instance === null || mark.instance === undefined) continue;
    const frames = found.get(mark.instance) ?? new Set<string>();
    for (const part of mark.evidence) for (const frame of part.frames) frames.add(`${part.input}#${frame}`);
    found.set(mark.instance, frames);
  }
  return new Map([...found].filter(([, frames]) => frames.size > 0).map(([instance, frames]) => [instance, frames.size]));
}

export function InstancePackets({ finding }: { finding: Finding }) {
  const { readOnly } = useSource();
  const frames = useMemo(() => framesByInstance(finding), [finding]);
  const [instance, setInstance] = useState(1);
  if (readOnly || frames.size === 0) return null;
  const last = Math.max(...frames.keys());
  return (
    <p className="instance-packets" data-testid="instance">
      <label>Instance <input className="input" type="number" aria-label="Instance" min={1} max={last} value={instance} onChange={(event) => setInstance(Number(event.target.value))} /></label> of {count(last)}{" "}
      <CarveButton question={{ kind: "carving", finding: finding.id, instance }} packets={frames.get(instance) ?? 0} />
    </p>
  );
}

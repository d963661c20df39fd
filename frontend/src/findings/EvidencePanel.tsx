/** The side panel that shows what an evidence link points at. Open while the address has `evidence=`. */
import { useCallback } from "react";

import { SidePanel } from "../ui/SidePanel";
import { useAddress, useSetParameters } from "../ui/RouteLink";
import { DeepFrame } from "../packets/DeepFrame";
import { DumpText } from "./DumpText";
import { parseEvidenceParameter } from "./evidenceAddress";
import { FrameColumns } from "./FrameColumns";
import "./evidence.css";

export function EvidencePanel() {
  const { parameters } = useAddress();
  const setParameters = useSetParameters();
  const close = useCallback(() => setParameters({ evidence: null }, "push"), [setParameters]);
  const target = parseEvidenceParameter(parameters.evidence);
  if (!target) return null;
  const place = target.kind === "frame" ? `frame #${target.first}` : `line ${target.first}`;
  return (
    <SidePanel label={`Evidence: ${target.input} ${place}`} title={`${target.input} · ${place}`} onClose={close}>
      {target.kind === "frame" ? (
        <>
          <FrameColumns input={target.input} frame={target.first} />
          <DeepFrame input={target.input} frame={target.first} />
        </>
      ) : (
        <DumpText key={`${target.input}:${target.first}`} input={target.input} first={target.first} last={target.last} />
      )}
    </SidePanel>
  );
}

/** The packets of one instance of a finding: as a capture, and in Wireshark's view. */
import { useState } from "react";

import { useFindingInstance } from "../api/queries";
import { useSource } from "../api/source";
import type { Finding } from "../api/types";
import { count } from "../format/quantity";
import { CarveButton } from "./CarveButton";
import { WiresharkPanel } from "./WiresharkPanel";
import "./packets.css";

export function InstancePackets({ finding }: { finding: Finding }) {
  const { readOnly } = useSource();
  const [instance, setInstance] = useState(1);
  const last = finding.instances;
  const shown = !readOnly && last > 0;
  const one = useFindingInstance(finding.id, shown ? instance : null).data;
  if (!shown) return null;
  return (
    <>
      <p className="instance-packets" data-testid="instance">
        <label>Instance <input className="input" type="number" aria-label="Instance" min={1} max={last} value={instance} onChange={(event) => setInstance(Number(event.target.value))} /></label> of {count(last)}{" "}
        <CarveButton question={{ kind: "carving", finding: finding.id, instance }} packets={one?.frames ?? 0} />
      </p>
      {(one?.frames ?? 0) > 0 && <WiresharkPanel question={{ kind: "wireshark", finding: finding.id, instance }} />}
    </>
  );
}

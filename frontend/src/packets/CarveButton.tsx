/** Downloads exactly these packets as a capture that Wireshark opens; their number is on the button. */
import { useMemo } from "react";

import { useAllowed } from "../access/rights";
import type { Look, LookQuestion } from "../api/looks";
import { useFiles } from "../api/queries";
import { useSource } from "../api/source";
import { count, plural } from "../format/quantity";
import { LookDownload } from "./LookDownload";

interface CarveButtonProps {
  question: Extract<LookQuestion, { kind: "carving" }>;
  packets: number;
}

export function CarveButton({ question, packets }: CarveButtonProps) {
  const { readOnly } = useSource();
  const mayDownload = useMayExtract();
  const anonymised = useMemo(() => ({ ...question, anonymise: true }), [question]);
  if (readOnly || packets === 0) return null;
  const busyLabel = (look: Look | undefined) => `Carving ${count(look?.done ?? 0)} of ${count(packets)} …`;
  const asked = JSON.stringify(question);
  return (
    <>
      {mayDownload && <LookDownload key={asked} question={question} packets={packets} label={`Download these ${plural(packets, "packet")} .pcapng`} busyLabel={busyLabel} testId="carve" />}{" "}
      <LookDownload
        key={`${asked} anonymized`} question={anonymised} packets={packets} label="anonymized" busyLabel={busyLabel} testId="carve-anonymised" plain
        title="The same packets with pseudonyms for addresses and names; payload is zeroed"
      />
    </>
  );
}

/** Packets with their payload, unless a file holds credentials: then they are its owner's. */
function useMayExtract(): boolean {
  const allowed = useAllowed("download");
  const files = useFiles().data;
  return !allowed.disabled || (files !== undefined && !files.some((file) => file.holds_credentials));
}

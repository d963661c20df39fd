/** Downloads exactly these packets as a capture that Wireshark opens; their number is on the button. */
import { useEffect, useRef, useState } from "react";

import { isUnderWay, useLook, type LookQuestion } from "../api/looks";
import { useSource } from "../api/source";
import { bytes, count, plural } from "../format/quantity";

interface CarveButtonProps {
  question: Extract<LookQuestion, { kind: "carving" }>;
  packets: number;
  /** What they are, where the number alone does not say: "of instance 3". */
  of?: string;
}

export function CarveButton({ question, packets, of = "" }: CarveButtonProps) {
  const { readOnly } = useSource();
  if (readOnly || packets === 0) return null;
  return <Carve key={JSON.stringify(question)} question={question} packets={packets} of={of} />;
}

function Carve({ question, packets, of = "" }: CarveButtonProps) {
  const { api } = useSource();
  const [wanted, setWanted] = useState(false);
  const { look, error, cancel } = useLook(wanted ? question : null);
  const link = useRef<HTMLAnchorElement>(null);
  const done = wanted && look?.state === "done";
  useEffect(() => {
    if (done) link.current?.click();
  }, [done]);
  const busy = wanted && !error && (look === undefined || isUnderWay(look));
  const problem = wanted ? (error?.message ?? (look?.state === "failed" || look?.state === "cancelled" ? look.problem || "Called off." : null)) : null;
  const ask = () => (done ? link.current?.click() : setWanted(true));
  return (
    <span className="carve">
      <button type="button" className="button" disabled={busy} data-testid="carve" data-packets={packets} onClick={ask}>
        {busy ? `Carving ${count(look?.done ?? 0)} of ${count(packets)} …` : `Download these ${plural(packets, "packet")} .pcapng`}{of && ` ${of}`}
      </button>
      {done && <a ref={link} className="visually-hidden" tabIndex={-1} href={`${api}/looks/${look.id}/content`} download>{bytes(look.bytes)}</a>}
      {busy && look && <button type="button" className="link-button" onClick={() => void cancel()}>cancel</button>}
      {problem !== null && <span role="alert"> {problem} <button type="button" className="link-button" onClick={() => setWanted(false)}>ok</button></span>}
    </span>
  );
}

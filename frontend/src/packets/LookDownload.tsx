/** A button for a file that a worker has to make first: asks, waits, downloads. */
import { useEffect, useRef, useState } from "react";

import { isUnderWay, useLook, type Look, type LookQuestion } from "../api/looks";
import { useSource } from "../api/source";
import { bytes } from "../format/quantity";

interface LookDownloadProps {
  question: LookQuestion;
  label: string;
  /** What the button says meanwhile. */
  busyLabel: (look: Look | undefined) => string;
  testId: string;
  packets?: number;
  /** What hovering says. */
  title?: string;
  plain?: boolean;
}

export function LookDownload({ question, label, busyLabel, testId, packets, title, plain = false }: LookDownloadProps) {
  const { api } = useSource();
  const [wanted, setWanted] = useState(false);
  const { look, error, cancel, again } = useLook(wanted ? question : null);
  const link = useRef<HTMLAnchorElement>(null);
  const done = wanted && look?.state === "done";
  useEffect(() => {
    if (done) link.current?.click();
  }, [done]);
  const busy = wanted && !error && (look === undefined || isUnderWay(look));
  const failed = look?.state === "failed" || look?.state === "cancelled";
  const problem = wanted ? (error?.message ?? (failed ? look.problem || "Canceled." : null)) : null;
  const ask = () => (done ? link.current?.click() : setWanted(true));
  const giveUp = () => {
    setWanted(false);
    void again();
  };
  return (
    <span className="carve">
      <button type="button" className={plain ? "link-button" : "button"} disabled={busy} data-testid={testId} data-packets={packets} title={title} onClick={ask}>
        {busy ? busyLabel(look) : label}
      </button>
      {done && <a ref={link} className="visually-hidden" tabIndex={-1} href={`${api}/looks/${look.id}/content`} download>{bytes(look.bytes)}</a>}
      {busy && look && <button type="button" className="link-button" onClick={() => void cancel()}>cancel</button>}
      {problem !== null && <span role="alert"> {problem} <button type="button" className="link-button" onClick={giveUp}>ok</button></span>}
    </span>
  );
}

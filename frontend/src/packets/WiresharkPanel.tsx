/** Wireshark's view of the packets of a connection or a finding, on request. Not behind a share link. */
import { useState } from "react";

import { isUnderWay, useLook, useWiresharkView, type LookQuestion, type WiresharkView } from "../api/looks";
import { useReport } from "../api/queries";
import { useSource } from "../api/source";
import { count, plural } from "../format/quantity";
import { WiresharkRows } from "./WiresharkRows";
import "./wireshark.css";

type Question = Extract<LookQuestion, { kind: "wireshark" }>;

export function WiresharkPanel({ question }: { question: Question }) {
  const { readOnly } = useSource();
  return readOnly ? null : <OnRequest key={JSON.stringify(question)} question={question} />;
}

function OnRequest({ question }: { question: Question }) {
  const [wanted, setWanted] = useState(false);
  return (
    <section className="wireshark-view" aria-label="Wireshark's view" data-testid="wireshark-view">
      <h2>Wireshark&apos;s view</h2>
      {wanted ? <Answered question={question} /> : (
        <p>
          <button type="button" className="button" onClick={() => setWanted(true)}>Show Wireshark&apos;s view</button>{" "}
          <span className="dim">Expert information, Info column and application messages by tshark, beside the analysis of Stallscope.</span>
        </p>
      )}
    </section>
  );
}

function Answered({ question }: { question: Question }) {
  const { look, error, again } = useLook(question);
  const view = useWiresharkView(look);
  const failed = look && !isUnderWay(look) && look.state !== "done" ? look.problem || "Canceled." : null;
  const problem = error?.message ?? view.error?.message ?? failed;
  if (problem !== null) return <p role="alert">{problem} <button type="button" className="link-button" onClick={() => void again()}>Try again</button></p>;
  if (!view.data) return <p className="dim" aria-busy>tshark dissects the packets …</p>;
  return <Compared view={view.data} />;
}

function Compared({ view }: { view: WiresharkView }) {
  const lanes = useReport().data?.lanes ?? [];
  const differing = view.packets.filter((packet) => packet.differences.length > 0).length;
  return (
    <>
      <p className="dim" data-testid="wireshark-summary" data-differences={differing}>
        {view.program}. {differing ? `${plural(differing, "packet")} of ${count(view.packets.length)} with another TCP analysis.` : `The TCP analysis of all ${plural(view.packets.length, "packet")} is the same.`}
        {view.left_out > 0 && ` ${plural(view.left_out, "packet")} not shown.`}
        {view.tls_secrets > 0 && ` TLS decrypted with ${plural(view.tls_secrets, "secret")} of a key log.`}
      </p>
      {view.problem && <p role="alert">Details of some packets are missing: {view.problem}</p>}
      <WiresharkRows packets={view.packets} lanes={lanes} />
    </>
  );
}

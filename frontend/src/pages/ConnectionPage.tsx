/** `/i/:id/connections/:cid`: one connection at every capture point it crossed. */
import { useParams } from "@tanstack/react-router";

import { Problem } from "../api/http";
import { useConnection } from "../api/queries";
import { useSource } from "../api/source";
import type { ConnectionDetail } from "../api/types";
import { CompareButton, ComparedConnections } from "../connections/ComparedConnections";
import { ConnectionFacts } from "../connections/ConnectionFacts";
import { endpoint, milliseconds } from "../connections/connectionWords";
import { Ladder } from "../connections/Ladder";
import { ladderPicture, ladderWords } from "../connections/ladderPicture";
import { LimitedBy } from "../connections/LimitedBy";
import { connectPhases, ladderSteps, type Phase } from "../connections/ladderSteps";
import { plural } from "../format/quantity";
import { NameBeside } from "../names/NameBeside";
import { useNameOf } from "../names/NamesProvider";
import { WiresharkPanel } from "../packets/WiresharkPanel";
import { sourceOf } from "../pictures/frame";
import { PictureButtons } from "../pictures/PictureButtons";
import { useTokens } from "../timeline/useTokens";
import { Region } from "../ui/Region";
import { RouteLink, useAddress } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";

export function ConnectionPage() {
  const { cid } = useParams({ strict: false }) as { cid: string };
  const detail = useConnection(cid);
  if (detail.error instanceof Problem && detail.error.status === 404) return <Gone />;
  return (
    <Region label="Connection" query={detail}>
      {(found) => (
        <>
          <Head detail={found} />
          <Phases detail={found} />
          <LimitedBy connection={found.connection} />
          <Steps detail={found} />
          <ConnectionFacts detail={found} />
          <WiresharkPanel question={{ kind: "wireshark", connection: found.connection.cid }} />
        </>
      )}
    </Region>
  );
}

/** The address is of an analysis that is no more, or was never one. */
function Gone() {
  const { page } = useSource();
  useTitle("Connection not found");
  return (
    <>
      <h1>The current analysis has no such connection</h1>
      <p><RouteLink href={`${page}/connections`}>All connections</RouteLink></p>
    </>
  );
}

function Head({ detail }: { detail: ConnectionDetail }) {
  const { page } = useSource();
  const { connection } = detail;
  const nameOf = useNameOf();
  const usual = detail.usual_connect_ms === null ? "" : ` (baseline ${milliseconds(detail.usual_connect_ms)} ms)`;
  const walk = (cid: number | null, rel: "prev" | "next", words: string) =>
    cid === null ? null : <RouteLink className="button" rel={rel} href={`${page}/connections/${cid}`}>{words}</RouteLink>;
  return (
    <div className="connection-head">
      <h1>
        {endpoint(connection.client, connection.client_port)}<NameBeside named={nameOf(connection.client, connection.start_ns)} />
        {" → "}{endpoint(connection.server, connection.server_port)}<NameBeside named={nameOf(connection.server, connection.start_ns)} />
      </h1>
      <span>{connection.connect_ms === null ? connection.outcome : `connect ${milliseconds(connection.connect_ms)} ms${usual}`}</span>
      {connection.tries > 1 && <span>SYN sent {plural(connection.tries, "time")}</span>}
      {connection.missing_at.length > 0 && <span className="role-loss">✖ first SYN lost</span>}
      <span className="connection-walk">
        {connection.finding_ids[0] !== undefined && (
          <RouteLink className="button" href={`${page}/timeline?sel=${encodeURIComponent(connection.finding_ids[0])}${connection.instance === null ? "" : `~${connection.instance}`}`}>
            on the timeline
          </RouteLink>
        )}
        {walk(detail.previous_cid, "prev", "◂ previous of the finding")}
        {walk(detail.next_cid, "next", "next of the finding ▸")}
      </span>
    </div>
  );
}

/** Its ladder, beside that of a connection that worked where the address asks for it. */
function Steps({ detail }: { detail: ConnectionDetail }) {
  const { parameters } = useAddress();
  if (detail.success_cid === null) return <><Ladder detail={detail} /><LadderPicture detail={detail} /></>;
  return (
    <>
      <p><CompareButton /></p>
      {parameters.compare === "1" ? <ComparedConnections failed={detail} successCid={detail.success_cid} /> : <Ladder detail={detail} />}
      <LadderPicture detail={detail} />
    </>
  );
}

function LadderPicture({ detail }: { detail: ConnectionDetail }) {
  const tokens = useTokens();
  const { path } = useAddress();
  return <PictureButtons name={`connection-${String(detail.connection.cid)}`} draw={() => ladderPicture(detail, tokens, ladderWords(detail, sourceOf(path)))} />;
}

const PERCENT = 100;
const PHASE_HUES: Record<Phase["name"], string> = { "waiting for the SYN retransmission": "network_ratio", handshake: "handshake_ratio" };

function Phases({ detail }: { detail: ConnectionDetail }) {
  const phases = connectPhases(ladderSteps(detail));
  const total = phases.reduce((sum, phase) => sum + phase.ms, 0);
  if (total <= 0) return null;
  return (
    <section aria-label="Breakdown of the connect time" data-testid="connect-time">
      <strong>Connect time</strong>
      <div className="limited-bar" aria-hidden="true">
        {phases.map((phase) => <i key={phase.name} className={PHASE_HUES[phase.name]} data-ms={phase.ms} style={{ width: `${(phase.ms / total) * PERCENT}%` }} />)}
      </div>
      <ul className="limited-legend">
        {phases.map((phase) => <li key={phase.name}><i aria-hidden="true" className={PHASE_HUES[phase.name]} />{phase.name} {milliseconds(phase.ms)} ms</li>)}
      </ul>
    </section>
  );
}

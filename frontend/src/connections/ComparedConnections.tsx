/** A connection that failed beside the nearest one to the same destination that worked. */
import { useConnection } from "../api/queries";
import { useSource } from "../api/source";
import type { ConnectionDetail } from "../api/types";
import { stretch } from "../format/offset";
import { Region } from "../ui/Region";
import { RouteLink, useAddress, useSetParameters } from "../ui/RouteLink";
import { firstDifference, sharedLanes } from "./comparison";
import { endpoint, milliseconds } from "./connectionWords";
import { Ladder } from "./Ladder";

/** Turns the comparison of the address on and off. */
export function CompareButton() {
  const { parameters } = useAddress();
  const setParameters = useSetParameters();
  const on = parameters.compare === "1";
  return (
    <button type="button" className="button" aria-pressed={on} onClick={() => setParameters({ compare: on ? null : "1" }, "push")}>
      Compare with one that worked
    </button>
  );
}

export function ComparedConnections({ failed, successCid }: { failed: ConnectionDetail; successCid: number }) {
  const worked = useConnection(successCid);
  return (
    <Region label="Connection that worked" query={worked}>
      {(found) => <Beside failed={failed} worked={found} />}
    </Region>
  );
}

function Beside({ failed, worked }: { failed: ConnectionDetail; worked: ConnectionDetail }) {
  const difference = firstDifference(failed, worked);
  const lanes = sharedLanes([failed, worked]);
  return (
    <section className="compared" aria-label="Comparison with a connection that worked" data-testid="compared">
      <p data-testid="first-difference">
        {difference === null ? "No step differs: same packets, same vantage points, no longer wait." : <>First difference: <b>{difference.sentence}</b>.</>}
      </p>
      <div className="compared-sides">
        <Side heading="This connection" detail={failed} lanes={lanes} differs={difference?.failed ?? null} />
        <Side heading={`One that worked, began ${apart(failed, worked)}`} detail={worked} lanes={lanes} differs={difference?.worked ?? null} />
      </div>
    </section>
  );
}

function apart(failed: ConnectionDetail, worked: ConnectionDetail): string {
  const ns = Number(BigInt(worked.connection.start_ns) - BigInt(failed.connection.start_ns));
  return `${stretch(Math.abs(ns))} ${ns < 0 ? "earlier" : "later"}`;
}

interface SideProps {
  heading: string;
  detail: ConnectionDetail;
  lanes: ReturnType<typeof sharedLanes>;
  differs: string | null;
}

function Side({ heading, detail, lanes, differs }: SideProps) {
  const { page } = useSource();
  const { connection } = detail;
  const connect = connection.connect_ms === null ? connection.outcome : `connect ${milliseconds(connection.connect_ms)} ms`;
  return (
    <div>
      <h3>{heading}</h3>
      <p className="dim"><RouteLink href={`${page}/connections/${connection.cid}`}>{endpoint(connection.client, connection.client_port)}</RouteLink> · {connect}</p>
      <Ladder detail={detail} lanes={lanes} differs={differs} />
    </div>
  );
}

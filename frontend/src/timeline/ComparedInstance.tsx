/** The connection of the selected instance beside one that worked, below the chart. */
import { useConnection, useConnections } from "../api/queries";
import { CompareButton, ComparedConnections } from "../connections/ComparedConnections";
import { Region } from "../ui/Region";
import { useAddress } from "../ui/RouteLink";
import "../connections/connections.css";
import type { Selection } from "./urlState";

/** Instances of one finding that are looked through for the selected one. */
const MOST_INSTANCES = 1000;

export function ComparedInstance({ selection }: { selection: Selection }) {
  const { parameters } = useAddress();
  return (
    <>
      <p><CompareButton /></p>
      {parameters.compare === "1" && <OfInstance selection={selection} />}
    </>
  );
}

function OfInstance({ selection }: { selection: Selection }) {
  const list = useConnections({ finding: selection.finding, limit: MOST_INSTANCES });
  return (
    <Region label="Connections of the finding" query={list}>
      {(found) => {
        const own = found.items.find((connection) => connection.instance === selection.instance);
        return own === undefined ? <p>This instance is not of one connection: nothing to compare.</p> : <OfConnection cid={own.cid} />;
      }}
    </Region>
  );
}

function OfConnection({ cid }: { cid: number }) {
  const detail = useConnection(cid);
  return (
    <Region label="Connection" query={detail}>
      {(found) => found.success_cid === null
        ? <p>No connection to the same destination connected at its first attempt.</p>
        : <ComparedConnections failed={found} successCid={found.success_cid} />}
    </Region>
  );
}

/** Rows and head of the table of logical connections. */
import type { Connection } from "../api/types";
import { wallClock } from "../format/instant";
import { bytes } from "../format/quantity";
import { RouteLink } from "../ui/RouteLink";
import { endpoint, milliseconds, outcomeSign, translated } from "./connectionWords";
import { SeenAt } from "./SeenAt";

export type SortKey = "start" | "connect_ms" | "tries" | "bytes";

export interface Column {
  name: string;
  sort?: SortKey;
  number?: boolean;
  why?: string;
}

export const COLUMNS: Column[] = [
  { name: "outcome" }, { name: "client" }, { name: "server" }, { name: "start", sort: "start", why: "clock time of the first packet, in the time zone of the settings" },
  { name: "connect ms", sort: "connect_ms", number: true, why: "accepted SYN-ACK minus first SYN" },
  { name: "tries", sort: "tries", number: true, why: "how often the SYN was sent; 0: begun before the capture" },
  { name: "retry gaps (s)", number: true }, { name: "translated to" }, { name: "seen at", why: "in path order; ✖ where the first SYN never appeared" },
  { name: "bytes", sort: "bytes", number: true }, { name: "finding" },
];

export interface RowContext {
  /** Prefix of page addresses. */
  page: string;
  lanes: readonly { id: string; name: string }[];
  letters: ReadonlyMap<string, string>;
}

export function ConnectionCells({ connection, context }: { connection: Connection; context: RowContext }) {
  const { page, lanes, letters } = context;
  const href = `${page}/connections/${connection.cid}`;
  return (
    <>
      <span role="cell"><span aria-hidden="true">{outcomeSign(connection.outcome)}</span> {connection.outcome}</span>
      <span role="cell" className="mono"><RouteLink href={href}>{endpoint(connection.client, connection.client_port)}</RouteLink></span>
      <span role="cell" className="mono">{endpoint(connection.server, connection.server_port)}</span>
      <span role="cell" className="mono">{wallClock(connection.start_ns, 0)}</span>
      <span role="cell" className="number">{milliseconds(connection.connect_ms)}</span>
      <span role="cell" className="number">{connection.tries}</span>
      <span role="cell" className="number">{connection.retry_gaps_s.map((gap) => gap.toFixed(3)).join(" ")}</span>
      <span role="cell" className="mono">{translated(connection)}</span>
      <span role="cell"><SeenAt connection={connection} lanes={lanes} /></span>
      <span role="cell" className="number">{bytes(connection.client_bytes + connection.server_bytes)}</span>
      <span role="cell">
        {connection.finding_ids.map((id) => (
          <RouteLink key={id} className="finding-link" href={`${page}/timeline?sel=${encodeURIComponent(id)}${connection.instance === null ? "" : `~${connection.instance}`}`}>
            {letters.get(id) ?? id}
          </RouteLink>
        ))}
      </span>
    </>
  );
}

/** Columns and cells of the table of logical connections. */
import type { ReactNode } from "react";

import type { Connection } from "../api/types";
import { wallClock } from "../format/instant";
import { bytes, percent } from "../format/quantity";
import { NameBeside } from "../names/NameBeside";
import type { NameOf } from "../names/nameTable";
import type { BigColumn } from "../ui/BigTable";
import { RouteLink } from "../ui/RouteLink";
import { endpoint, milliseconds, outcomeSign, translated } from "./connectionWords";
import { SeenAt } from "./SeenAt";

export type SortKey = "start" | "connect_ms" | "tries" | "bytes" | "network_ratio" | "receiver_window_ratio";

export const COLUMNS: (BigColumn & { key?: SortKey })[] = [
  { name: "outcome", width: 11 }, { name: "finding", width: 6 }, { name: "client", width: 19 }, { name: "server", width: 18 },
  { name: "start", key: "start", width: 14, why: "clock time of the first packet, in the time zone of the settings" },
  { name: "connect", unit: "ms", key: "connect_ms", number: true, width: 12, why: "accepted SYN-ACK minus first SYN" },
  { name: "tries", key: "tries", number: true, width: 5, why: "number of SYNs sent; 0: opened before the capture" },
  { name: "retry gaps", unit: "s", number: true, width: 11 }, { name: "translated to", width: 16 },
  { name: "seen at", width: 7, why: "in path order; ✖ where the first SYN is absent" },
  { name: "bytes", key: "bytes", number: true, width: 6 },
  { name: "network", key: "network_ratio", number: true, width: 8, why: "share of its time limited by the network: round trips, congestion window, losses" },
  { name: "window", key: "receiver_window_ratio", number: true, width: 7, why: "share of its time limited by the receiver window" },
];

export interface RowContext {
  /** Prefix of page addresses. */
  page: string;
  lanes: readonly { id: string; name: string }[];
  letters: ReadonlyMap<string, string>;
  nameOf: NameOf;
}

const GAP_BAR_PX = 4;
const GAP_HEIGHT_PX = 12;

/** One bar for each retransmission, as high as its gap: doubling gaps are an exponential back-off. */
function GapBars({ gaps_s }: { gaps_s: readonly number[] }) {
  if (gaps_s.length === 0) return null;
  const most = Math.max(...gaps_s);
  return (
    <svg data-testid="gap-bars" aria-hidden="true" width={gaps_s.length * GAP_BAR_PX} height={GAP_HEIGHT_PX}>
      {gaps_s.map((gap, at) => {
        const height = Math.max(2, (GAP_HEIGHT_PX * gap) / most);
        return <rect key={at} x={at * GAP_BAR_PX} y={GAP_HEIGHT_PX - height} width={GAP_BAR_PX - 1} height={height} />;
      })}
    </svg>
  );
}

export function connectionCells(connection: Connection, { page, lanes, letters, nameOf }: RowContext): ReactNode[] {
  const gaps = connection.retry_gaps_s.map((gap) => gap.toFixed(3)).join(" ");
  return [
    <span key="o"><span aria-hidden="true">{outcomeSign(connection.outcome)}</span> {connection.outcome}</span>,
    connection.finding_ids.map((id) => (
      <RouteLink key={id} className="finding-link" href={`${page}/timeline?sel=${encodeURIComponent(id)}${connection.instance === null ? "" : `~${connection.instance}`}`}>
        {letters.get(id) ?? id}
      </RouteLink>
    )),
    <RouteLink key="c" className="mono" href={`${page}/connections/${connection.cid}`}>{endpoint(connection.client, connection.client_port)}<NameBeside named={nameOf(connection.client, connection.start_ns)} /></RouteLink>,
    <span key="s" className="mono">{endpoint(connection.server, connection.server_port)}<NameBeside named={nameOf(connection.server, connection.start_ns)} /></span>,
    <span key="t" className="mono">{wallClock(connection.start_ns, 0)}</span>,
    milliseconds(connection.connect_ms),
    connection.tries,
    <span key="g" className="retry-gaps" title={gaps}><GapBars gaps_s={connection.retry_gaps_s} />{gaps}</span>,
    <span key="n" className="mono">{translated(connection)}</span>,
    <SeenAt key="a" connection={connection} lanes={lanes} />,
    bytes(connection.client_bytes + connection.server_bytes),
    connection.network_ratio === null ? "–" : percent(connection.network_ratio),
    connection.receiver_window_ratio === null ? "–" : percent(connection.receiver_window_ratio),
  ];
}

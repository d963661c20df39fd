/** Below the ladder: why the sightings are one connection, kernel records, filters, the unjoined list. */
import type { ConnectionDetail } from "../api/types";
import { EvidenceLink, EvidenceLinks } from "../findings/EvidenceLinks";
import { wallClock } from "../format/instant";
import { zoneWord } from "../format/zone";
import { Command } from "../ui/CopyButton";
import { placeName } from "./connectionWords";

export function ConnectionFacts({ detail }: { detail: ConnectionDetail }) {
  const { connection, filters } = detail;
  const records = detail.marks.filter((mark) => mark.evidence.some((part) => part.lines.length > 0));
  const first = detail.packets[0];
  return (
    <div className="connection-facts">
      <dl>
        <dt>Why these are one connection</dt>
        <dd>{connection.joined_because || "Captured at one vantage point only: nothing was joined."}</dd>
        {first !== undefined && (
          <>
            <dt>Matched by</dt>
            <dd className="mono">seq {first.sequence}{first.timestamp_value === null ? "" : ` · TSval ${first.timestamp_value}`} · IP-ID {first.ip_id}</dd>
          </>
        )}
        {records.length > 0 && (
          <>
            <dt>Kernel state (conntrack)</dt>
            <dd>{records.map((mark) => <div key={mark.id} className="connection-record">{mark.label} <EvidenceLinks evidence={mark.evidence.filter((part) => part.lines.length > 0)} /></div>)}</dd>
          </>
        )}
      </dl>
      <div><strong>Wireshark filter for this file</strong><Command text={filters.frame_filter} label="Filter by frame numbers" /></div>
      <div><strong>Wireshark filter for any file</strong><Command text={filters.portable_filter} label="Filter by addresses and sequence numbers" /></div>
      <details>
        <summary>Show raw, not joined: {detail.packets.length} sightings</summary>
        <table className="table" data-testid="sightings">
          <thead><tr><th>time ({zoneWord()})</th><th>vantage point</th><th>frame</th><th>source</th><th>destination</th><th>flags</th><th className="number">payload</th></tr></thead>
          <tbody>
            {detail.packets.map((packet) => (
              <tr key={`${packet.input}#${packet.frame}`}>
                <td className="mono">{wallClock(packet.time_ns, 0, 9)}</td>
                <td>{placeName(packet.lane, detail.lanes)}</td>
                <td><EvidenceLink target={{ input: packet.input, kind: "frame", first: packet.frame, last: packet.frame }}>{packet.input}#{packet.frame}</EvidenceLink></td>
                <td className="mono">{packet.source}</td>
                <td className="mono">{packet.destination}</td>
                <td className="mono">{packet.flags}</td>
                <td className="number">{packet.payload_bytes}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}

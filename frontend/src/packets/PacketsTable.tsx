/** Packets of a window as the timeline answers them. */
import type { TimelineLane, TimelinePacket } from "../api/types";
import { EvidenceLink } from "../findings/EvidenceLinks";
import { bytes } from "../format/quantity";
import { offset, stretch } from "../format/offset";

/** More rows than this are not put on the page at once. */
const SHOWN_AT_MOST = 500;

export function PacketsTable({ packets, lanes }: { packets: readonly TimelinePacket[]; lanes: readonly TimelineLane[] }) {
  const shown = packets.slice(0, SHOWN_AT_MOST);
  return (
    <div className="facts-scroll" tabIndex={0} role="region" aria-label="Packets in the window">
      <table className="facts" data-testid="packets-table">
        <thead>
          <tr>
            <th>time (s)</th><th>since previous</th><th>frame</th><th>lane</th><th>what</th><th>source</th><th>destination</th>
            <th className="number">length</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((packet, index) => (
            <tr key={`${packet.input}#${packet.frame}`}>
              <td className="mono">{offset(packet.t)}</td>
              <td className="mono">{index > 0 ? stretch(packet.t - (shown[index - 1]?.t ?? packet.t)) : ""}</td>
              <td><EvidenceLink target={{ input: packet.input, kind: "frame", first: packet.frame, last: packet.frame }} /></td>
              <td>{lanes.find((lane) => lane.id === packet.lane)?.name ?? packet.lane}</td>
              <td>{packet.what}</td>
              <td className="mono">{packet.src}</td>
              <td className="mono">{packet.dst}</td>
              <td className="number">{bytes(packet.len)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {packets.length > shown.length && <p>{packets.length - shown.length} more: zoom in to see them.</p>}
    </div>
  );
}

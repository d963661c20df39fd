/** Packets in Wireshark's words beside those of Stallscope; what only one of the two reports is marked. */
import type { ComparedPacket } from "../api/looks";
import { placeName } from "../connections/connectionWords";
import { EvidenceLink } from "../findings/EvidenceLinks";
import { wallClock } from "../format/instant";
import { zoneWord } from "../format/zone";

const REPORTED_BY = { wireshark: "Wireshark", stallscope: "Stallscope" };

interface WiresharkRowsProps {
  packets: readonly ComparedPacket[];
  lanes: readonly { id: string; name: string }[];
}

export function WiresharkRows({ packets, lanes }: WiresharkRowsProps) {
  return (
    <div className="wireshark-rows" tabIndex={0} role="region" aria-label="Packets in Wireshark and in Stallscope">
      <table className="table">
        <thead><tr><th>time ({zoneWord()})</th><th>vantage point</th><th>frame</th><th>Wireshark</th><th>Stallscope</th><th>difference</th></tr></thead>
        <tbody>{packets.map((packet) => <Row key={`${packet.input}#${packet.frame}`} packet={packet} lane={placeName(packet.lane, lanes)} />)}</tbody>
      </table>
    </div>
  );
}

function Row({ packet, lane }: { packet: ComparedPacket; lane: string }) {
  const { differences } = packet;
  return (
    <tr data-testid="wireshark-packet" data-frame={packet.frame} className={differences.length ? "wireshark-differs" : undefined}>
      <td className="mono">{wallClock(packet.time_ns, 0, 6)}</td>
      <td>{lane}</td>
      <td><EvidenceLink target={{ input: packet.input, kind: "frame", first: packet.frame, last: packet.frame }}>#{packet.frame}</EvidenceLink></td>
      <td><Theirs packet={packet} /></td>
      <td>
        {[packet.what, ...packet.marks].join(" · ")}
        {packet.our_messages.map((message, at) => <div key={at} className="wireshark-message">{message}</div>)}
      </td>
      <td>{differences.map((each) => <div key={each.flag}>{each.flag}: {REPORTED_BY[each.reported_by]} only</div>)}</td>
    </tr>
  );
}

function Theirs({ packet }: { packet: ComparedPacket }) {
  const notes = packet.expert.filter((note) => note.severity !== "chat" && note.severity !== "comment");
  return (
    <>
      <span className="mono">{packet.protocol} {packet.info}</span>
      {notes.map((note, at) => <div key={at} className={`wireshark-note wireshark-${note.severity}`}>{note.severity}: {note.text}</div>)}
      {packet.messages.map((message, at) => (
        <div key={at} className="wireshark-message">
          {message.protocol}{message.decrypted && " (decrypted)"}: {message.fields.map((field) => `${field.label} ${field.value}`).join(", ") || "no field shown"}
        </div>
      ))}
    </>
  );
}

/** Packets of a window as the timeline answers them. */
import type { ReactNode } from "react";

import type { TimelineLane, TimelinePacket } from "../api/types";
import { EvidenceLink } from "../findings/EvidenceLinks";
import { bytes } from "../format/quantity";
import { useReadTime } from "../format/clock";
import { stretch } from "../format/offset";
import { BigTable, type BigColumn } from "../ui/BigTable";

const COLUMNS: BigColumn[] = [
  { name: "time", width: 15 }, { name: "delta", width: 15, number: true, why: "since the previous row" }, { name: "frame", width: 10 }, { name: "lane", width: 18 },
  { name: "what", width: 30 }, { name: "source", width: 21 }, { name: "destination", width: 21 }, { name: "length", width: 9, number: true },
];

type LaneName = Pick<TimelineLane, "id" | "name">;

interface PacketsTableProps {
  packets: readonly TimelinePacket[];
  lanes: readonly LaneName[];
  /** Called with the packet under the pointer, with null when it leaves. */
  onPoint?: (packet: TimelinePacket | null) => void;
}

export function PacketsTable({ packets, lanes, onPoint }: PacketsTableProps) {
  const read = useReadTime();
  return (
    <BigTable
      label="Packets in the window" columns={COLUMNS} total={packets.length} height_px={420} testId="packets-table"
      rowProps={(row) => ({ onPointerEnter: () => onPoint?.(packets[row] ?? null), onPointerLeave: () => onPoint?.(null) })}
      cells={(row) => cellsOf(packets, row, lanes, read)}
    />
  );
}

function cellsOf(packets: readonly TimelinePacket[], row: number, lanes: readonly LaneName[], read: (t: number) => string): ReactNode[] | null {
  const packet = packets[row];
  if (packet === undefined) return null;
  const previous = packets[row - 1];
  return [
    <span key="t" className="mono">{read(packet.t)}</span>,
    previous === undefined ? "" : stretch(packet.t - previous.t),
    <EvidenceLink key="f" target={{ input: packet.input, kind: "frame", first: packet.frame, last: packet.frame }} />,
    lanes.find((lane) => lane.id === packet.lane)?.name ?? packet.lane,
    <span key="w" title={packet.what}>{packet.what}</span>,
    <span key="s" className="mono" title={packet.src}>{packet.src}</span>,
    <span key="d" className="mono" title={packet.dst}>{packet.dst}</span>,
    bytes(packet.len),
  ];
}

/** The list of packets: rows, what can be done with a cell, and the scrollbar with times and findings. */
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState, type ReactNode } from "react";

import { ask, queryString } from "../api/http";
import type { PacketLine, PacketRail } from "../api/packets";
import { useReport } from "../api/queries";
import { useSource } from "../api/source";
import type { Report } from "../api/types";
import { EvidenceLink } from "../findings/EvidenceLinks";
import { roleOf } from "../findings/findingWords";
import { lettersOf } from "../format/findingLetters";
import { useReadTime } from "../format/clock";
import { offset, stretch } from "../format/offset";
import { count } from "../format/quantity";
import { NameBeside } from "../names/NameBeside";
import { addressOf, type NameOf } from "../names/nameTable";
import { useNameOf } from "../names/NamesProvider";
import { BigTable, type BigColumn } from "../ui/BigTable";
import { RouteLink } from "../ui/RouteLink";
import type { Rail } from "../ui/ScrollRail";
import type { CellMenuAt } from "../ui/useCellKeys";
import { CellMenu } from "./CellMenu";
import { comparisonOf, narrowed } from "./cellFilter";

const COLUMNS: BigColumn[] = [
  { name: "time", width: 16 }, { name: "delta", width: 10, number: true, why: "since the previous row" }, { name: "frame", width: 8 },
  { name: "lane", width: 9 }, { name: "source", width: 19 }, { name: "destination", width: 19 }, { name: "protocol", width: 8 },
  { name: "flags", width: 8 }, { name: "length", unit: "B", width: 8, number: true }, { name: "info", width: 22 },
  { name: "joined with", width: 13, why: "the same packet at other vantage points, joined across NAT" }, { name: "finding", width: 6 },
];

interface PacketRowsProps {
  total: number;
  rowAt: (row: number) => PacketLine | undefined;
  onVisible: (from: number, to: number) => void;
  at: number | null;
  /** The filter in our language; null when tshark filtered, whose words ours are not added to. */
  filter: string | null;
  asked: Record<string, string | number | null>;
  send: (filter: string) => void;
}

export function PacketRows({ total, rowAt, onVisible, at, filter, asked, send }: PacketRowsProps) {
  const report = useReport().data;
  const { page } = useSource();
  const lanes = report?.lanes ?? [];
  const letters = useMemo(() => lettersOf(report?.findings ?? []), [report]);
  const rail = useRail(report, asked, filter !== null);
  const read = useReadTime();
  const addressName = useNameOf();
  const [menu, setMenu] = useState<CellMenuAt | null>(null);
  const close = useCallback(() => setMenu(null), []);
  const nameOf = (id: string) => lanes.find((lane) => lane.id === id)?.name ?? id;
  const lettersIn = (line: PacketLine) => line.findings.map((id) => letters.get(id) ?? id);
  const line = menu ? rowAt(menu.row) : undefined;
  const comparison = menu && line ? comparisonOf(COLUMNS[menu.column]?.name ?? "", line, { lane: uniqueName(lanes, line.lane), letters: lettersIn(line) }) : null;
  return (
    <>
      <BigTable
        label="Packets" columns={COLUMNS} total={total} onVisible={onVisible} at={at} height_px={640} rail={rail} onCellMenu={setMenu}
        cells={(row) => {
          const shown = rowAt(row);
          return shown ? cellsOf(shown, rowAt(row - 1), nameOf(shown.lane), lettersIn(shown), page, read, addressName) : null;
        }}
      />
      {menu && comparison && <CellMenu at={menu} comparison={comparison} close={close} narrow={(not) => send(narrowed(filter ?? "", comparison.own, not))} />}
    </>
  );
}

/** A lane's name where no other has it, else its id. */
function uniqueName(lanes: Report["lanes"], id: string): string {
  const name = lanes.find((lane) => lane.id === id)?.name ?? id;
  return lanes.filter((lane) => lane.name === name).length > 1 ? id : name;
}

function useRail(report: Report | null | undefined, asked: Record<string, string | number | null>, known: boolean): Rail {
  const source = useSource();
  const found = useQuery({
    queryKey: [source.key, "packet-rail", asked],
    enabled: known,
    staleTime: 60_000,
    retry: false,
    queryFn: ({ signal }) => ask<PacketRail>(`${source.api}/packets/rail${queryString(asked)}`, { headers: source.headers, signal }),
  });
  return useMemo(() => {
    const items = known ? (found.data?.items ?? []) : [];
    const letters = lettersOf(report?.findings ?? []);
    return {
      ticks: items.filter((item) => item.finding === null).map((item) => ({ row: item.offset, label: `${offset(item.t, 9).replace(/\.?0+ s$/, " s")}` })),
      marks: items.flatMap((item) => {
        const finding = report?.findings.find((each) => each.id === item.finding);
        return report && finding ? [{ row: item.offset, label: `${letters.get(finding.id)} at ${offset(item.t)}`, role: roleOf(report, finding) }] : [];
      }),
    };
  }, [found.data, report, known]);
}

/** Of frames that are not IP. */
const NO_ADDRESS = "[::]:0";

function cellsOf(line: PacketLine, previous: PacketLine | undefined, lane: string, letters: string[], page: string, read: (t: number) => string, addressName: NameOf): ReactNode[] {
  const target = (input: string, frame: number) => ({ input, kind: "frame" as const, first: frame, last: frame });
  return [
    <span key="t" className="mono">{read(line.t)}</span>,
    previous ? stretch(line.t - previous.t) : "",
    <EvidenceLink key="f" target={target(line.input, line.frame)} />,
    <span key="l" title={line.lane}>{lane}</span>,
    <span key="s" className="mono" title={line.source}>{line.source === NO_ADDRESS ? "–" : line.source}<NameBeside named={addressName(addressOf(line.source), line.time_ns)} /></span>,
    <span key="d" className="mono" title={line.destination}>{line.destination === NO_ADDRESS ? "–" : line.destination}<NameBeside named={addressName(addressOf(line.destination), line.time_ns)} /></span>,
    line.protocol,
    <span key="g" className="mono" title={line.flags}>{line.flags}</span>,
    count(line.original_bytes),
    <span key="i" title={line.info}>{line.info}</span>,
    <span key="j" className="evidence-links">
      {line.joined.map((other) => <EvidenceLink key={`${other.input}#${other.frame}`} target={target(other.input, other.frame)} />)}
      {line.cid !== null && <RouteLink href={`${page}/connections/${line.cid}`} title={`connection ${line.cid}`}>c{line.cid}</RouteLink>}
    </span>,
    <span key="n">
      {letters.map((letter, at) => <span key={letter}><RouteLink href={`${page}/findings/${encodeURIComponent(line.findings[at] ?? "")}`}>{letter}</RouteLink> </span>)}
    </span>,
  ];
}

/** `/i/:id/packets`: every packet of every capture in order of time, by filter; any place is reached at once. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState, type ReactNode } from "react";

import { ask, Problem, queryString } from "../api/http";
import type { PacketLine, PacketPart } from "../api/packets";
import { usePagedRows } from "../api/pagedRows";
import { useReport } from "../api/queries";
import { useSource } from "../api/source";
import { EvidenceLink } from "../findings/EvidenceLinks";
import { parseEvidenceParameter } from "../findings/evidenceAddress";
import { offset, stretch } from "../format/offset";
import { count, plural } from "../format/quantity";
import { PacketFilter } from "../packets/PacketFilter";
import { readPacketFilter, type PacketQuery } from "../packets/packetFilter";
import { BigTable, type BigColumn } from "../ui/BigTable";
import { Region } from "../ui/Region";
import { RouteLink, useAddress, useSetParameters } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";
import "../packets/packets.css";

const COLUMNS: BigColumn[] = [
  { name: "time", unit: "s after the first", width: 17 }, { name: "since previous", width: 13, number: true }, { name: "frame", width: 9 },
  { name: "lane", width: 13 }, { name: "source", width: 21 }, { name: "destination", width: 21 }, { name: "protocol", width: 8 },
  { name: "what", width: 15 }, { name: "flags", width: 9 }, { name: "length", unit: "B", width: 9, number: true }, { name: "connection", width: 10 },
];

type Asked = PacketQuery & { from: number | null; to: number | null };

/** The window of the address, if there is one. */
function windowOf(text: string | undefined): { from: number | null; to: number | null } {
  const match = /^(-?\d{1,16})~(\d{1,16})$/.exec(text ?? "");
  return match ? { from: Number(match[1]), to: Number(match[1]) + Number(match[2]) } : { from: null, to: null };
}

export function PacketsPage() {
  useTitle("Packets");
  const { parameters } = useAddress();
  const setParameters = useSetParameters();
  const text = parameters.q ?? "";
  const read = useMemo(() => readPacketFilter(text), [text]);
  const good = useRef<PacketQuery>({});
  if (read.query) good.current = read.query;
  const asked: Asked = { ...(read.query ?? good.current), ...windowOf(parameters.w) };
  const rows = usePagedRows<PacketLine, PacketPart & { total: number }>("/packets", { ...asked });
  const refused = rows.first.error instanceof Problem && rows.first.error.status === 422 ? rows.first.error.message : null;
  return (
    <>
      <h1>Packets</h1>
      <PacketFilter text={text} problem={read.problem} refused={refused} send={(next) => setParameters({ q: next || null }, "push")} />
      <Region
        label="Packets" query={refused === null ? rows.first : { ...rows.first, error: null }}
        empty={(found) => (found.total ? null : <NoPackets filtered={Object.keys(asked).some((key) => asked[key as keyof Asked])} />)}
      >
        {(found) => <Listed total={found.total} rowAt={rows.rowAt} onVisible={rows.onVisible} isWhole={!text && !parameters.w} />}
      </Region>
    </>
  );
}

function NoPackets({ filtered }: { filtered: boolean }) {
  const setParameters = useSetParameters();
  if (!filtered) return <>No capture was given, so there are no packets.</>;
  return (
    <>
      No packet matches.{" "}
      <button type="button" className="link-button" onClick={() => setParameters({ q: null, w: null }, "push")}>Clear filter and window</button>
    </>
  );
}

interface ListedProps {
  total: number;
  rowAt: (row: number) => PacketLine | undefined;
  onVisible: (from: number, to: number) => void;
  /** Neither filtered nor narrowed to a window: frames have their place in the list of all. */
  isWhole: boolean;
}

function Listed({ total, rowAt, onVisible, isWhole }: ListedProps) {
  const lanes = useReport().data?.lanes ?? [];
  const { page } = useSource();
  const [wanted, setWanted] = useState<number | null>(null);
  const shown = usePlaceOfFrame(isWhole);
  const nameOf = (id: string) => lanes.find((lane) => lane.id === id)?.name ?? id;
  return (
    <>
      <div className="packets-tools">
        <span className="dim" data-testid="packets-total" data-total={total}>{plural(total, "packet")}</span>
        <GoTo total={total} go={setWanted} />
      </div>
      <BigTable
        label="Packets" columns={COLUMNS} total={total} onVisible={onVisible} at={wanted ?? shown} height_px={640}
        cells={(row) => {
          const line = rowAt(row);
          return line ? cellsOf(line, rowAt(row - 1), nameOf(line.lane), page) : null;
        }}
      />
    </>
  );
}

/** Row of the frame that the side panel shows, so that both agree. */
function usePlaceOfFrame(active: boolean): number | null {
  const source = useSource();
  const { parameters } = useAddress();
  const target = parseEvidenceParameter(parameters.evidence);
  const frame = target?.kind === "frame" ? { input: target.input, frame: target.first } : null;
  const place = useQuery({
    queryKey: [source.key, "packet-place", frame],
    enabled: active && frame !== null,
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      ask<{ offset: number }>(`${source.api}/packets/place${queryString(frame ?? {})}`, { headers: source.headers, signal }),
  });
  return active && frame !== null ? (place.data?.offset ?? null) : null;
}

function GoTo({ total, go }: { total: number; go: (row: number) => void }) {
  const [text, setText] = useState("");
  const row = Number(text.replaceAll(",", ""));
  const valid = Number.isInteger(row) && row >= 1 && row <= total;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) go(row - 1);
      }}
    >
      <input className="input" inputMode="numeric" aria-label="Go to row" placeholder={`1 … ${count(total)}`} value={text} aria-invalid={text !== "" && !valid} onChange={(event) => setText(event.target.value)} />
      <button type="submit" className="button" disabled={!valid}>Go to row</button>
    </form>
  );
}

function cellsOf(line: PacketLine, previous: PacketLine | undefined, lane: string, page: string): ReactNode[] {
  const target = { input: line.input, kind: "frame" as const, first: line.frame, last: line.frame };
  return [
    <span key="t" className="mono">{offset(line.t).replace(" s", "")}</span>,
    previous ? stretch(line.t - previous.t) : "",
    <EvidenceLink key="f" target={target} />,
    <span key="l" title={line.lane}>{lane}</span>,
    <span key="s" className="mono" title={line.source}>{line.source}</span>,
    <span key="d" className="mono" title={line.destination}>{line.destination}</span>,
    line.protocol,
    <span key="w" title={line.what}>{line.what}</span>,
    <span key="g" className="mono">{line.flags}</span>,
    count(line.original_bytes),
    line.cid === null ? "–" : <RouteLink key="c" href={`${page}/connections/${line.cid}`}>{line.cid}</RouteLink>,
  ];
}

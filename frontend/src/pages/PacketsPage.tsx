/** `/i/:id/packets`: every packet of every capture in order of time, by filter; any place is reached at once. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";

import { ask, queryString } from "../api/http";
import { useLook } from "../api/looks";
import type { PacketLine, PacketPart } from "../api/packets";
import { usePagedRows } from "../api/pagedRows";
import { useReport } from "../api/queries";
import { useSource } from "../api/source";
import { parseEvidenceParameter } from "../findings/evidenceAddress";
import { plural } from "../format/quantity";
import { CarveButton } from "../packets/CarveButton";
import { DisplayFilter } from "../packets/DisplayFilter";
import { FilterProblem, mistakeOf } from "../packets/FilterProblem";
import { GoTo } from "../packets/GoTo";
import { NoPackets } from "../packets/NoPackets";
import { PacketFilter } from "../packets/PacketFilter";
import { PacketRows } from "../packets/PacketRows";
import { Region } from "../ui/Region";
import { useAddress, useSetParameters } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";
import "../packets/packets.css";

interface List {
  path: string;
  asked: Record<string, string | number | null>;
  /** Of tshark's answer. */
  look?: string;
}

/** The window of the address, if there is one. */
function windowOf(text: string | undefined): { from: number | null; to: number | null } {
  const match = /^(-?\d{1,16})~(\d{1,16})$/.exec(text ?? "");
  return match ? { from: Number(match[1]), to: Number(match[1]) + Number(match[2]) } : { from: null, to: null };
}

export function PacketsPage() {
  useTitle("Packets");
  const { readOnly } = useSource();
  const { parameters } = useAddress();
  const setParameters = useSetParameters();
  const text = parameters.q ?? "";
  const deep = parameters.deep === "1" && text !== "" && !readOnly;
  const look = useLook(useMemo(() => (deep ? { kind: "display-filter" as const, filter: text } : null), [deep, text]));
  const found = deep && look.look?.state === "done" ? look.look.id : null;
  const window_ns = windowOf(parameters.w);
  const own: List = { path: "/packets", asked: { filter: text || null, ...window_ns } };
  const good = useRef<List>({ path: "/packets", asked: { ...window_ns } });
  const list: List = deep ? (found ? { path: `/looks/${found}/packets`, asked: window_ns, look: found } : good.current) : own;
  if (!deep || found) good.current = list;
  const rows = usePagedRows<PacketLine, PacketPart & { total: number }>(list.path, list.asked);
  const mistake = mistakeOf(rows.first.error);
  const send = (next: string, how: { deep?: boolean } = {}) => setParameters({ q: next || null, deep: how.deep ? "1" : null }, "push");
  const offer = mistake?.wireshark && !readOnly && (
    <span>
      Wireshark may know it:{" "}
      <button type="button" className="button" data-testid="run-tshark" onClick={() => send(text, { deep: true })}>Run with tshark (slower)</button>
    </span>
  );
  return (
    <>
      <h1>Packets</h1>
      <PacketFilter text={text} wrong={mistake !== null} send={(next) => send(next)} />
      {deep && <DisplayFilter text={text} look={look.look} error={look.error} again={() => void look.again()} cancel={() => void look.cancel()} send={(next) => send(next)} />}
      {!deep && mistake && <FilterProblem text={text} mistake={mistake} send={(next) => send(next)} kept={rows.first.data !== undefined} offer={offer} />}
      <Region
        label="Packets" query={mistake === null ? rows.first : { ...rows.first, error: null }}
        empty={(answer) => (answer.total ? null : <NoPackets filter={text} window_ns={window_ns} deep={deep} />)}
      >
        {(answer) => <Listed total={answer.total} rows={rows} list={list} filter={deep ? null : text} send={send} refused={mistake !== null} />}
      </Region>
    </>
  );
}

interface ListedProps {
  total: number;
  rows: ReturnType<typeof usePagedRows<PacketLine, PacketPart & { total: number }>>;
  list: List;
  /** Null when tshark filtered. */
  filter: string | null;
  send: (filter: string) => void;
  /** The rows are those of the filter before. */
  refused: boolean;
}

function Listed({ total, rows, list, filter, send, refused }: ListedProps) {
  const { api, readOnly } = useSource();
  const report = useReport().data;
  const [wanted, setWanted] = useState<number | null>(null);
  const shown = usePlaceOfFrame(list);
  const inputs = useMemo(() => (report?.inputs ?? []).filter((input) => input.kind === "capture").map((input) => input.name), [report]);
  const carving = useMemo(() => ({
    kind: "carving" as const, filter: filter ?? undefined, look: list.look,
    from_ns: (list.asked.from as number | null) ?? undefined, to_ns: (list.asked.to as number | null) ?? undefined,
  }), [filter, list.look, list.asked.from, list.asked.to]);
  const exported = (format: string) => `${api}/packets/export${queryString({ format, ...list.asked, look: list.look ?? null })}`;
  return (
    <>
      <div className="packets-tools">
        <span className="dim" data-testid="packets-total" data-total={total}>{plural(total, "packet")}</span>
        {!readOnly && !refused && (
          <>
            <CarveButton question={carving} packets={total} />
            <a className="button" href={exported("csv")} download>CSV</a>
            <a className="button" href={exported("json")} download>JSON</a>
          </>
        )}
        <GoTo total={total} inputs={inputs} asked={list.look ? {} : list.asked} go={setWanted} />
      </div>
      <PacketRows total={total} rowAt={rows.rowAt} onVisible={rows.onVisible} at={wanted ?? shown} filter={refused ? "" : filter} asked={refused ? {} : list.asked} send={send} />
    </>
  );
}

/** Row of the frame that the side panel shows, so that both agree. */
function usePlaceOfFrame(list: List): number | null {
  const source = useSource();
  const { parameters } = useAddress();
  const target = parseEvidenceParameter(parameters.evidence);
  const frame = target?.kind === "frame" && !list.look ? { input: target.input, frame: target.first } : null;
  const place = useQuery({
    queryKey: [source.key, "packet-place", frame, list.asked],
    enabled: frame !== null,
    retry: false,
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      ask<{ offset: number }>(`${source.api}/packets/place${queryString({ ...frame, ...list.asked })}`, { headers: source.headers, signal }),
  });
  return frame !== null ? (place.data?.offset ?? null) : null;
}

/** Samples as rows: of a window, or of one group with what both ends saw of them. */
import type { ReactNode } from "react";

import type { RoundTrip } from "../api/roundTrips";
import { usePagedRows } from "../api/pagedRows";
import { EvidenceLink } from "../findings/EvidenceLinks";
import { offset } from "../format/offset";
import { plural } from "../format/quantity";
import { ExportRows } from "../lists/ExportRows";
import { BigTable, type BigColumn } from "../ui/BigTable";
import { Region } from "../ui/Region";
import { ms, waysOf } from "./words";

const COLUMNS: BigColumn[] = [
  { name: "sent", unit: "s", width: 13 }, { name: "kind", width: 9 }, { name: "from", width: 20 }, { name: "to", width: 20 },
  { name: "round trip", unit: "ms", width: 13, number: true }, { name: "frames", width: 15 },
  { name: "request path", unit: "ms", width: 13, number: true, why: "from the vantage point nearest to the prober to the farthest" },
  { name: "beyond", unit: "ms", width: 11, number: true, why: "from the farthest vantage point to the responder and back" },
  { name: "return path", unit: "ms", width: 12, number: true }, { name: "seen there", width: 15 }, { name: "delayed", width: 14 },
];

interface SampleTableProps {
  label: string;
  t0: string;
  asked: Record<string, string | number | null>;
  height_px?: number;
  /** Said when there is none. */
  nothing: ReactNode;
}

export function SampleTable({ label, t0, asked, height_px = 420, nothing }: SampleTableProps) {
  const rows = usePagedRows<RoundTrip>("/rtt", asked);
  return (
    <Region label={label} query={rows.first} empty={(found) => (found.total ? null : nothing)}>
      {(found) => (
        <>
          <p className="dim" data-testid="rtt-samples" data-total={found.total}>
            {plural(found.total, "round trip")} <ExportRows what="round-trips" one="round trip" path="/rtt" asked={asked} total={found.total} />
          </p>
          <BigTable
            label={label} columns={COLUMNS} total={found.total} onVisible={rows.onVisible} height_px={height_px}
            cells={(row) => {
              const sample = rows.rowAt(row);
              return sample ? cellsOf(sample, t0) : null;
            }}
          />
        </>
      )}
    </Region>
  );
}

const number = (value: number): string => ms(value).replace(" ms", "");
const end = (address: string, port: number): string => (port ? `${address}:${port}` : address);

function cellsOf(sample: RoundTrip, t0: string): ReactNode[] {
  const t = Number(BigInt(sample.at_ns) - BigInt(t0));
  const ways = waysOf(sample);
  const far = sample.elsewhere?.at(-1);
  return [
    <span key="t" className="mono">{offset(t, 6).replace(" s", "")}</span>,
    sample.kind,
    <span key="p" className="mono">{end(sample.prober, sample.prober_port)}</span>,
    <span key="r" className="mono">{end(sample.responder, sample.responder_port)}</span>,
    <b key="v">{number(sample.rtt_ms)}</b>,
    <Frames key="f" input={sample.input} sent={sample.sent_frame} answer={sample.answer_frame} printed={sample.printed ?? false} />,
    ways === null ? "–" : number(ways.there),
    far === undefined ? "–" : number(far.rtt_ms),
    ways === null ? "–" : number(ways.back),
    far === undefined ? "–" : <Frames key="e" input={far.input} sent={far.sent_frame} answer={far.answer_frame} printed={false} />,
    sample.finding === null ? "" : `group ${sample.instance ?? ""}`,
  ];
}

function Frames({ input, sent, answer, printed }: { input: string; sent: number; answer: number | null; printed: boolean }) {
  const kind = printed ? ("line" as const) : ("frame" as const);
  const to = (n: number) => <EvidenceLink target={{ input, kind, first: n, last: n }} />;
  return <>{to(sent)}{answer !== null && answer !== sent && <> {to(answer)}</>}</>;
}

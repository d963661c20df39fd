/** Requests one by one; a row opens its waterfall above the table. */
import type { ReactNode } from "react";

import { usePagedRows } from "../api/pagedRows";
import type { HttpRequest } from "../api/requests";
import { useTimeline } from "../api/queries";
import { EvidenceLink } from "../findings/EvidenceLinks";
import { offset } from "../format/offset";
import { plural } from "../format/quantity";
import { ExportRows } from "../lists/ExportRows";
import { BigTable, type BigColumn } from "../ui/BigTable";
import { Region } from "../ui/Region";
import { RouteLink, useHrefWith } from "../ui/RouteLink";
import { NoMatch } from "./NoMatch";
import { ms } from "./segments";

const COLUMNS: BigColumn[] = [
  { name: "request", width: 20 }, { name: "began", unit: "s", width: 11 }, { name: "from", width: 19 }, { name: "to", width: 19 }, { name: "status", width: 6, number: true },
  { name: "total", unit: "ms", width: 9, number: true }, { name: "frames", width: 12 },
  { name: "metadata", unit: "ms", width: 12, number: true, why: "metadata calls of the server during the request" },
  { name: "DNS", unit: "ms", width: 9, number: true }, { name: "upstream", unit: "ms", width: 15, number: true }, { name: "processing", unit: "ms", width: 12, number: true },
];

export type RequestsQuery = Record<string, string | number | null>;

/** Any width: only t0 is wanted. */
const ANY_PX = 1200;

export function RequestTable({ asked, at, clear }: { asked: RequestsQuery; at: number | null; clear: () => void }) {
  const rows = usePagedRows<HttpRequest>("/requests", asked);
  const hrefWith = useHrefWith();
  const t0 = useTimeline({ px: ANY_PX }).data?.t0 ?? null;
  return (
    <Region
      label="Requests one by one" query={rows.first}
      empty={(found) => (found.total ? null : <NoMatch asked={asked} clear={clear} />)}
    >
      {(found) => (
        <>
          <p className="dim" data-testid="requests-total" data-total={found.total}>
            {plural(found.total, "request")} <ExportRows what="requests" one="request" path="/requests" asked={asked} total={found.total} />
          </p>
          <BigTable
            label="Requests" columns={COLUMNS} total={found.total} onVisible={rows.onVisible} height_px={560}
            cells={(row) => {
              const request = rows.rowAt(row);
              return request ? cellsOf(request, t0, hrefWith({ rid: String(request.rid) }), request.rid === at) : null;
            }}
          />
        </>
      )}
    </Region>
  );
}

const number = (value: number | null | undefined): string => (value === null || value === undefined ? "–" : ms(value));

function cellsOf(request: HttpRequest, t0: string | null, href: string, current: boolean): ReactNode[] {
  const frames = [...new Set([request.request_first_frame, request.response_last_frame ?? request.response_first_frame])].filter((frame) => frame !== null);
  const name = request.method ? `${request.method} ${request.path}` : "payload not readable";
  return [
    <RouteLink key="n" href={href} className="mono" aria-current={current ? "true" : undefined} title={name}>{request.basis === "inferred" ? `${name} (inferred)` : name}</RouteLink>,
    <span key="t" className="mono">{t0 === null ? "" : offset(Number(BigInt(request.at_ns) - BigInt(t0)), 6).replace(" s", "")}</span>,
    <span key="f" className="mono">{request.requester}:{request.requester_port}</span>,
    <span key="r" className="mono">{request.responder}:{request.responder_port}</span>,
    request.status ?? "–",
    <b key="d">{number(request.duration_ms)}</b>,
    <span key="e" className="evidence-links">{frames.map((frame) => <EvidenceLink key={frame} target={{ input: request.input, kind: "frame", first: frame, last: frame }} />)}</span>,
    number(request.metadata_ms), number(request.dns_ms), number(request.calls_ms), number(request.own_ms),
  ];
}

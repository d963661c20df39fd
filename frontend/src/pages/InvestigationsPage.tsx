/** All investigations; when there are none, three doors. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { whereAllowed } from "../access/rights";
import { useWho } from "../access/who";
import { ask } from "../api/http";
import { askAgain } from "../api/refetch";
import type { Investigation } from "../api/types";
import { VerdictWord } from "../diagnosis/VerdictWord";
import { ago, count, duration } from "../format/quantity";
import { InvestigationFilters } from "../investigations/InvestigationFilters";
import { Rename } from "../investigations/Rename";
import { useInvestigationList, type InvestigationFilter } from "../investigations/useInvestigationList";
import { RoleGlyph } from "../ui/Glyph";
import { Region } from "../ui/Region";
import { RouteLink, useAddress, useSetParameters } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";
import { Doors } from "../upload/Doors";
import "../diagnosis/diagnosis.css";
import "./investigations.css";

export function InvestigationsPage() {
  useTitle("Investigations");
  const { parameters } = useAddress();
  const filter = { q: parameters.q ?? null, kind: parameters.kind ?? null, host: parameters.host ?? null };
  const list = useInvestigationList(filter);
  const filtered = Object.values(filter).some((part) => part !== null);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <Region label="Investigations" query={list}>
        {({ pages }) => {
          const investigations = pages.flatMap((page) => page.items);
          if (!investigations.length && !filtered) return <EmptyHome />;
          return (
            <>
              <List investigations={investigations} filter={filter} />
              {list.hasNextPage && (
                <p className="list-more">
                  <button type="button" className="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>Show older ones</button>
                </p>
              )}
            </>
          );
        }}
      </Region>
    </main>
  );
}

function EmptyHome() {
  return (
    <div className="empty-home" data-testid="empty-home">
      <h1>Drop packet captures and kernel dumps; get the cause of slow connections, with the packets that prove it.</h1>
      <Doors />
    </div>
  );
}

function List({ investigations, filter }: { investigations: Investigation[]; filter: InvestigationFilter }) {
  const mayCreate = useWho().data?.may.includes("upload") ?? false;
  const setParameters = useSetParameters();
  const most_s = investigations.reduce((most, each) => Math.max(most, each.time_lost_s), 0);
  return (
    <>
      <header className="list-head">
        <h1>Investigations</h1>
        <InvestigationFilters filter={filter} investigations={investigations} />
        {mayCreate && <RouteLink className="button button-main" href="/new">New investigation</RouteLink>}
      </header>
      <div className="card">
        <table className="table investigations">
          <thead>
            <tr>
              <th>Investigation</th>
              <th>Verdict</th>
              <th className="number">Time lost</th>
              <th className="number">Files</th>
              <th className="number">Packets</th>
              <th className="number">Made</th>
              <th aria-label="Actions" />
            </tr>
          </thead>
          <tbody>
            {investigations.map((investigation) => (
              <Row key={investigation.id} investigation={investigation} most_s={most_s} />
            ))}
          </tbody>
        </table>
        {!investigations.length && (
          <p className="region-empty list-none" data-testid="empty-filter">
            No investigation matches {[filter.q && `“${filter.q}”`, filter.kind, filter.host].filter(Boolean).join(", ")}.{" "}
            <button type="button" className="link-button" onClick={() => setParameters({ q: null, kind: null, host: null }, "push")}>clear filter</button>
          </p>
        )}
      </div>
    </>
  );
}

const SOURCES: Record<Investigation["source"], string> = { browser: "in a browser", ci: "by a CI run", api: "by the API" };

function Row({ investigation, most_s }: { investigation: Investigation; most_s: number }) {
  const [naming, setNaming] = useState(false);
  return (
    <tr data-testid="investigation">
      <td>
        {naming ? (
          <Rename investigation={investigation} onDone={() => setNaming(false)} />
        ) : (
          <>
            <RouteLink className="investigation-link" href={`/i/${investigation.id}`}>
              {investigation.label}
            </RouteLink>
            {investigation.demo && <span className="badge">demo</span>}
          </>
        )}
      </td>
      <td>
        <VerdictCell investigation={investigation} />
      </td>
      <td className="number time-lost" data-label="time lost">
        {investigation.time_lost_s > 0 ? duration(investigation.time_lost_s) : "–"}
        {investigation.time_lost_s > 0 && <i aria-hidden="true" data-testid="time-lost-bar" style={{ width: `${barPercent(investigation.time_lost_s, most_s)}%` }} />}
      </td>
      <td className="number" data-label="files">{count(investigation.files_total)}</td>
      <td className="number" data-label="packets">{count(investigation.packets_total)}</td>
      <td className="number dim" data-label="created" title={investigation.created}>
        {ago(investigation.created)}
        <br />
        {SOURCES[investigation.source]}
      </td>
      <td className="number row-actions">
        <RouteLink className="row-compare" href={`/compare?b=${investigation.id}`} title={`Compare “${investigation.label}” with another one`}>
          Compare
        </RouteLink>
        <button type="button" className="plain-button" {...whereAllowed(investigation, "change")} onClick={() => setNaming(true)}>
          Rename
        </button>
        <Delete investigation={investigation} />
      </td>
    </tr>
  );
}

const BAR_PERCENT_MOST = 80;

/** By the order of magnitude: beside hours, seconds would have no bar. */
export function barPercent(lost_s: number, most_s: number): number {
  return (BAR_PERCENT_MOST * Math.log10(1 + lost_s)) / Math.log10(1 + Math.max(lost_s, most_s));
}

function VerdictCell({ investigation }: { investigation: Investigation }) {
  const { verdict, analysis } = investigation;
  if (analysis === "queued" || analysis === "running") return <span className="dim">{analysis} …</span>;
  if (analysis === "failed" || analysis === "cancelled") return <span>✖ {analysis}</span>;
  if (!verdict) return <span className="dim">{analysis === "finished" ? (investigation.finding_kinds.length ? "no cause found" : "nothing found") : "not analyzed"}</span>;
  return (
    <span className="verdict-cell">
      <RoleGlyph role={verdict.role} />
      <VerdictWord verdict={verdict.verdict} plain />
      <span>{verdict.title}</span>
    </span>
  );
}

function Delete({ investigation }: { investigation: Investigation }) {
  const allowed = whereAllowed(investigation, "delete");
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => ask(`/api/v1/investigations/${investigation.id}`, { method: "DELETE" }),
    onSuccess: () => void askAgain(queries, { queryKey: ["investigations"] }),
  });
  return (
    <button
      type="button"
      className="plain-button"
      title={allowed.title}
      disabled={allowed.disabled || remove.isPending}
      onClick={() => window.confirm(`Delete “${investigation.label}” with its files?`) && remove.mutate()}
    >
      Delete
    </button>
  );
}

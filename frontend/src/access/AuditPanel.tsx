/** The audit log: for admins, the newest first. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";

import { ask, queryString } from "../api/http";
import type { components } from "../api/schema";
import { dateWords } from "../format/zone";
import { Region } from "../ui/Region";
import { RouteLink } from "../ui/RouteLink";
import { ACTS, actorWords, actWords, type Act } from "./auditWords";
import { useWho } from "./who";
import "./access.css";

type AuditPage = components["schemas"]["AuditPage"];
type AuditEvent = components["schemas"]["AuditEvent"];

interface Wanted {
  act: string;
  result: string;
  actor: string;
}

const EVERYTHING: Wanted = { act: "", result: "", actor: "" };

export function AuditPanel() {
  const who = useWho();
  if (!who.data?.may.includes("admin")) return null;
  return <AuditLog />;
}

function AuditLog() {
  const [wanted, setWanted] = useState(EVERYTHING);
  const asked = { act: wanted.act || null, result: wanted.result || null, actor: wanted.actor.trim() || null };
  const log = useInfiniteQuery({
    queryKey: ["audit", asked],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => ask<AuditPage>(`/api/v1/audit${queryString({ ...asked, cursor: pageParam })}`, { signal }),
    getNextPageParam: (page) => page.next_cursor,
  });
  const download = (format: string) => `/api/v1/audit/download${queryString({ ...asked, format })}`;
  return (
    <section className="card panel audit" aria-labelledby="audit-title">
      <header className="panel-head">
        <h2 id="audit-title">Audit log</h2>
        <p><a href={download("csv")} download>Download CSV</a> <a href={download("jsonl")} download>JSON lines</a></p>
      </header>
      <AuditFilters wanted={wanted} set={setWanted} />
      <Region label="Audit log" query={log} empty={(found) => (found.pages[0]?.items.length ? null : "No match.")}>
        {(found) => <AuditTable events={found.pages.flatMap((page) => page.items)} />}
      </Region>
      {log.hasNextPage && (
        <button type="button" className="plain-button" disabled={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>Show older</button>
      )}
    </section>
  );
}

function AuditFilters({ wanted, set }: { wanted: Wanted; set: (wanted: Wanted) => void }) {
  return (
    <div className="access-form">
      <label className="field"><span>Name of the member or token</span><input className="input" maxLength={200} value={wanted.actor} onChange={(event) => set({ ...wanted, actor: event.target.value })} /></label>
      <label className="field">
        <span>Action</span>
        <select className="input" value={wanted.act} onChange={(event) => set({ ...wanted, act: event.target.value })}>
          <option value="">all</option>
          {(Object.keys(ACTS) as Act[]).map((act) => <option key={act} value={act}>{ACTS[act]}</option>)}
        </select>
      </label>
      <label className="field">
        <span>Result</span>
        <select className="input" value={wanted.result} onChange={(event) => set({ ...wanted, result: event.target.value })}>
          <option value="">all</option>
          <option value="done">done</option>
          <option value="refused">refused</option>
        </select>
      </label>
    </div>
  );
}

function AuditTable({ events }: { events: AuditEvent[] }) {
  return (
    <div className="access-scroll" tabIndex={0} role="region" aria-label={`Audit log, ${events.length} rows`}>
      <table className="table">
        <thead><tr><th>Time</th><th>Who</th><th>Action</th><th>What</th><th>Investigation</th><th>Address</th><th>Result</th></tr></thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id} data-testid="audit-event">
              <td className="audit-time">{dateWords(event.at, 8)}</td>
              <td>{actorWords(event)}</td>
              <td>{actWords(event.act)}</td>
              <td className="audit-subject">{event.subject}</td>
              <td>{event.investigation_id && <RouteLink className="mono" href={`/i/${event.investigation_id}`}>{event.investigation_id}</RouteLink>}</td>
              <td className="mono">{event.address}</td>
              <td className={event.result === "refused" ? "audit-refused" : undefined}>{event.result}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** `/i/:id/requests`: what requests were made of, by shape and one by one. */
import { useRef, useState } from "react";

import { useReport } from "../api/queries";
import { useRequestGroups, type RequestGroup, type RequestGroups } from "../api/requests";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { count, plural } from "../format/quantity";
import { keyOf, ShapeList } from "../requests/ShapeList";
import { NoMatch } from "../requests/NoMatch";
import { RequestTable, type RequestsQuery } from "../requests/RequestTable";
import { Waterfall } from "../requests/Waterfall";
import { Region } from "../ui/Region";
import { RouteLink, useAddress, useSetParameters } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";
import "../requests/requests.css";

const NUMBER = /^\d{1,15}$/;

/** What the address asks for. */
export function requestsAsked(parameters: Record<string, string>) {
  const w = /^(-?\d{1,16})~(\d{1,16})$/.exec(parameters.w ?? "");
  const from = w === null ? null : Number(w[1]);
  return { q: parameters.q ?? null, from, to: w === null || from === null ? null : from + Number(w[2]) };
}

export function RequestsPage() {
  useTitle("Requests");
  const { parameters } = useAddress();
  const setParameters = useSetParameters();
  const asked = requestsAsked(parameters);
  const groups = useRequestGroups(asked);
  const oneByOne = parameters.as === "list";
  const clear = () => setParameters({ q: null, w: null, shape: null, line: null, to: null, rid: null }, "push");
  return (
    <>
      <h1>Requests</h1>
      <Region
        label="Requests" query={groups}
        empty={(found) => {
          if (typeof found === "string") return <p>{found}</p>;
          return found.requests ? null : <NoRequests asked={asked} clear={clear} />;
        }}
      >
        {(found) => typeof found === "string" ? null : (
          <>
            <Statement found={found} />
            <Tools found={found} oneByOne={oneByOne} />
            {oneByOne ? <OneByOne asked={asked} clear={clear} /> : <Grouped found={found} />}
          </>
        )}
      </Region>
    </>
  );
}

function NoRequests({ asked, clear }: { asked: ReturnType<typeof requestsAsked>; clear: () => void }) {
  if (asked.q !== null || asked.from !== null) return <NoMatch asked={asked} clear={clear} />;
  return (
    <>
      <p>No clear-text HTTP was captured, and no data exchanges with upstream calls. Needs a capture at the server (its pod or node) with full packets.</p>
      <p><RouteLink href="/capture">What to capture</RouteLink></p>
    </>
  );
}

/** The report's sentence, with the slowest request of the costliest shape as its proof. */
function Statement({ found }: { found: RequestGroups }) {
  const shape = useReport().data?.requests?.shapes[0];
  if (!found.statement) {
    return <p className="dim">The servers' upstream calls were not captured, so requests are shown as waits. <RouteLink href="/capture">Capture at the server, too</RouteLink></p>;
  }
  return (
    <p data-claim data-testid="statement">
      {found.statement}{" "}
      {found.inferred > 0 && <>{plural(found.inferred, "request")} of {count(found.served)} inferred: payload could not be read. </>}
      <EvidenceLinks evidence={shape?.examples ?? []} shown={1} />
    </p>
  );
}

function Tools({ found, oneByOne }: { found: RequestGroups; oneByOne: boolean }) {
  const { parameters } = useAddress();
  const setParameters = useSetParameters();
  const field = useRef<HTMLInputElement>(null);
  return (
    <div className="requests-tools">
      <span role="group" aria-label="Show requests">
        <button type="button" className="button" aria-pressed={!oneByOne} onClick={() => setParameters({ as: null, rid: null, shape: null, line: null, to: null }, "push")}>Grouped</button>
        <button type="button" className="button" aria-pressed={oneByOne} onClick={() => setParameters({ as: "list" }, "push")}>One by one</button>
      </span>
      <form onSubmit={(event) => { event.preventDefault(); setParameters({ q: field.current?.value || null }, "push"); }}>
        <input ref={field} key={parameters.q ?? ""} className="input" type="search" aria-label="Filter requests" placeholder="path, host, address, request id" defaultValue={parameters.q ?? ""} maxLength={200} />
        <button type="submit" className="button">Filter</button>
      </form>
      <span className="dim" data-testid="requests-count" data-total={found.requests}>
        {plural(found.requests, "request")} {found.total > 0 && ` of ${plural(found.total, "endpoint")}`}{found.items.length < found.total && `, the costliest ${count(found.items.length)} listed`}
      </span>
    </div>
  );
}

function Grouped({ found }: { found: RequestGroups }) {
  const served = found.items.filter((group) => group.shape !== null);
  const others = found.items.filter((group) => group.shape === null);
  const [open, setOpen] = useState<string | null>(() => (found.items[0] ? keyOf(found.items[0]) : null));
  const setParameters = useSetParameters();
  const list = (group: RequestGroup) =>
    setParameters({ as: "list", rid: null, ...(group.shape === null ? { line: group.line, to: group.responder, shape: null } : { shape: String(group.shape), line: null, to: null }) }, "push");
  if (!found.items.length && found.requests > 0) {
    return (
      <p>
        No request was captured to its end (packets are cut short), so none has a duration to group by.{" "}
        <button type="button" className="link-button" onClick={() => setParameters({ as: "list" }, "push")}>Show the {plural(found.requests, "request")} one by one</button>
      </p>
    );
  }
  return (
    <>
      {served.length > 0 && <><h2>Served <span className="dim">the server's upstream calls were captured</span></h2><ShapeList groups={served} open={open} setOpen={setOpen} list={list} /></>}
      {others.length > 0 && <><h2>Upstream <span className="dim">the upstream calls of these servers were not captured</span></h2><ShapeList groups={others} open={open} setOpen={setOpen} list={list} /></>}
    </>
  );
}

function OneByOne({ asked, clear }: { asked: ReturnType<typeof requestsAsked>; clear: () => void }) {
  const { parameters } = useAddress();
  const setParameters = useSetParameters();
  const rid = NUMBER.test(parameters.rid ?? "") ? Number(parameters.rid) : null;
  const query: RequestsQuery = {
    ...asked, sort: "duration_ms", order: "desc", line: parameters.line ?? null, responder: parameters.to ?? null,
    shape: NUMBER.test(parameters.shape ?? "") ? Number(parameters.shape) : null,
  };
  const narrowed = query.shape !== null || query.line !== null;
  return (
    <>
      {narrowed && (
        <p className="dim">
          Of one shape only. <button type="button" className="link-button" onClick={() => setParameters({ shape: null, line: null, to: null }, "push")}>Show all</button>
        </p>
      )}
      {rid !== null && (
        <section className="card panel" aria-label="Chosen request">
          <div className="panel-head"><span /> <button type="button" className="plain-button" aria-label="Close request" onClick={() => setParameters({ rid: null }, "push")}>✕</button></div>
          <Waterfall key={rid} rid={rid} heading={`request ${rid}`} comparable />
        </section>
      )}
      <RequestTable asked={query} at={rid} clear={clear} />
    </>
  );
}

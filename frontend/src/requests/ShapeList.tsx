/** Requests by endpoint: one row for all that ask the same and make their server ask the same; opens to three examples. */
import { useState } from "react";

import type { RequestGroup } from "../api/requests";
import { count, plural } from "../format/quantity";
import { calleeWords, examplesOf, KIND_WORDS, ms, sharesOf } from "./segments";
import { Pages, ROWS_A_PAGE } from "../ui/Pages";
import { Waterfall } from "./Waterfall";

interface ShapeListProps {
  groups: readonly RequestGroup[];
  /** Key of the open row, and of none. */
  open: string | null;
  setOpen: (key: string | null) => void;
  /** Shows the requests of a group one by one. */
  list: (group: RequestGroup) => void;
}

export const keyOf = (group: RequestGroup): string => (group.shape === null ? `${group.line} ${group.responder}` : `shape ${group.shape}`);

export function ShapeList({ groups, open, setOpen, list }: ShapeListProps) {
  const [page, setPage] = useState(0);
  const longest = groups.reduce((most, group) => Math.max(most, group.total_p50_ms), 0);
  const most = groups.reduce((highest, group) => Math.max(highest, group.total_max_ms), 0);
  const at = Math.min(page, Math.max(0, Math.ceil(groups.length / ROWS_A_PAGE) - 1));
  return (
    <>
    <div className="card shapes" role="table" aria-label="Requests by endpoint">
      <div role="row" className="shape-row shape-head">
        <span role="columnheader">request</span><span role="columnheader">breakdown of the median request</span>
        <span role="columnheader" className="number">count</span><span role="columnheader" className="number">p50 (ms)</span><span role="columnheader" className="number">p95 (ms)</span><span role="columnheader">p50 to max</span>
      </div>
      {groups.slice(at * ROWS_A_PAGE, (at + 1) * ROWS_A_PAGE).map((group) => (
        <Row key={keyOf(group)} group={group} longest={longest} most={most} isOpen={open === keyOf(group)} setOpen={setOpen} list={list} />
      ))}
    </div>
    <Pages page={at} rows={groups.length} show={setPage} />
    </>
  );
}

interface RowProps {
  group: RequestGroup;
  longest: number;
  /** The slowest request of all groups, in ms. */
  most: number;
  isOpen: boolean;
  setOpen: (key: string | null) => void;
  list: (group: RequestGroup) => void;
}

function Row({ group, longest, most, isOpen, setOpen, list }: RowProps) {
  const key = keyOf(group);
  return (
    <>
      <div role="row" className={isOpen ? "shape-row shape-open" : "shape-row"} data-testid="shape" data-count={group.count} data-p50={group.total_p50_ms} data-basis={group.basis}>
        <span role="cell" className="shape-name">
          <button type="button" className="link-button" aria-expanded={isOpen} onClick={() => setOpen(isOpen ? null : key)}>
            <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span> <b className="mono">{group.request}</b>
          </button>
          {group.basis === "inferred" && <span className="waterfall-inferred">inferred</span>}
          <small className="dim">to {group.responder}{calleeWords(group).map((callee) => <span key={callee.kind}> · <b>{callee.words}</b> ({callee.names})</span>)}</small>
        </span>
        <span role="cell"><Shares group={group} longest={longest} /></span>
        <span role="cell" className="number">{count(group.count)}</span>
        <span role="cell" className="number">{ms(group.total_p50_ms)}</span>
        <span role="cell" className="number">{ms(group.total_p95_ms)}</span>
        <span role="cell"><Percentiles group={group} most={most} /></span>
      </div>
      {isOpen && (
        <div role="row" className="shape-examples"><div role="cell">
          <Examples group={group} />
          <button type="button" className="button" onClick={() => list(group)}>Show {plural(group.count, "request")} one by one</button>
        </div></div>
      )}
    </>
  );
}

/** Five bars on one scale for all groups, so that a long tail is seen without reading numbers. */
function Percentiles({ group, most }: { group: RequestGroup; most: number }) {
  const bars = [
    ["p50", group.total_p50_ms], ["p90", group.total_p90_ms], ["p95", group.total_p95_ms], ["p99", group.total_p99_ms], ["max", group.total_max_ms],
  ] as const;
  const words = bars.map(([name, value]) => `${name} ${ms(value)}`).join(", ");
  return (
    <span className="shape-percentiles" role="img" aria-label={`${words} ms`} title={`${words} ms`} data-testid="percentiles">
      {bars.map(([name, value]) => <i key={name} style={{ height: `${most > 0 ? Math.max(6, (100 * value) / most) : 6}%` }} />)}
    </span>
  );
}

function Shares({ group, longest }: { group: RequestGroup; longest: number }) {
  const shares = sharesOf(group);
  const words = shares.map((share) => `${KIND_WORDS[share.kind]} ${ms(share.ms)}`).join(" · ");
  return (
    <span className="shape-shares">
      <span className="shape-bars" aria-hidden="true" style={{ width: `${longest > 0 ? Math.max(1, (100 * group.total_p50_ms) / longest) : 0}%` }}>
        {shares.map((share) => <i key={share.kind} className={`waterfall-${share.kind}`} style={{ flexGrow: share.ms }} />)}
      </span>
      <small>{words ? `${words} ms` : "nothing known"}</small>
    </span>
  );
}

function Examples({ group }: { group: RequestGroup }) {
  const examples = examplesOf(group);
  const [shown, setShown] = useState(examples.some((example) => example.rid === group.median) ? group.median : (examples[0]?.rid ?? 0));
  const chosen = examples.find((example) => example.rid === shown) ?? examples[0];
  return (
    <>
      <div className="shape-tabs" role="group" aria-label="Example">
        {examples.map((example) => (
          <button key={example.rid} type="button" className="button" aria-pressed={example.rid === chosen?.rid} onClick={() => setShown(example.rid)}>{example.words}</button>
        ))}
      </div>
      {chosen !== undefined && <Waterfall key={chosen.rid} rid={chosen.rid} heading={chosen.words} />}
    </>
  );
}

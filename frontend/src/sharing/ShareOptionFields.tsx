/** What a new link is to show, and to whom. */
import { useId, type ReactNode } from "react";

import { useInvestigation, useReport } from "../api/queries";
import type { ShareOptions } from "../api/types";
import { lettersOf } from "../format/findingLetters";
import type { Here, Scope } from "./viewHere";

const LIFETIMES_DAYS = [1, 7, 14, 30, 90];

interface ShareOptionFieldsProps {
  options: ShareOptions;
  scope: Scope;
  here: Here;
  onScope: (scope: Scope) => void;
  onChange: (change: Partial<ShareOptions>) => void;
}

export function ShareOptionFields({ options, scope, here, onScope, onChange }: ShareOptionFieldsProps) {
  return (
    <div className="share-fields">
      <WhatFields options={options} scope={scope} here={here} onScope={onScope} onChange={onChange} />
      <ShowsFields options={options} onChange={onChange} />
      <Row name="Addresses, files, hosts">
        {(id) => (
          <select id={id} className="input" value={options.addresses} onChange={(event) => onChange({ addresses: event.target.value === "real" ? "real" : "names" })}>
            <option value="names">replaced by pseudonyms like pod-482913</option>
            <option value="real">unchanged</option>
          </select>
        )}
      </Row>
      <Row name="Application payload (names, URLs)">
        {(id) => (
          <select id={id} className="input" value={options.payload} onChange={(event) => onChange({ payload: event.target.value === "headers" ? "headers" : "removed" })}>
            <option value="removed">removed</option>
            <option value="headers">HTTP and DNS headers: paths, hosts, names</option>
          </select>
        )}
      </Row>
      <Row name="Expires after">
        {(id) => (
          <select id={id} className="input" value={options.expires_days} onChange={(event) => onChange({ expires_days: Number(event.target.value) })}>
            {LIFETIMES_DAYS.map((lifetime) => (
              <option key={lifetime} value={lifetime}>
                {lifetime} {lifetime === 1 ? "day" : "days"}
              </option>
            ))}
          </select>
        )}
      </Row>
      <Row name="Password (optional)">
        {(id) => (
          <input
            id={id} className="input" type="password" autoComplete="new-password" maxLength={200} value={options.password}
            onChange={(event) => onChange({ password: event.target.value })}
          />
        )}
      </Row>
      <div className="share-checks">
        <Check checked={options.notes} onChange={(notes) => onChange({ notes })}>Show analyst notes</Check>
        <Check checked={options.show_title} onChange={(show_title) => onChange({ show_title })}>Show the finding in chat previews</Check>
      </div>
    </div>
  );
}

function WhatFields({ options, scope, here, onScope, onChange }: ShareOptionFieldsProps) {
  const findings = useReport().data?.findings ?? [];
  const letters = lettersOf(findings);
  const name = useId();
  const radio = (value: Scope, words: string, disabled = false) => (
    <label>
      <input type="radio" name={name} checked={scope === value} disabled={disabled} onChange={() => onScope(value)} /> {words}
    </label>
  );
  const seen = [...(here.finding ? [`finding ${letters.get(here.finding) ?? here.finding}`] : []), ...here.words].join(" · ");
  return (
    <fieldset className="share-row">
      <legend>What</legend>
      {radio("view", here.view ? `this view: ${seen}` : "this view: open it from a window, a filter or lanes", !here.view)}
      <span className="share-finding">
        {radio("finding", "one finding", findings.length === 0)}
        {scope === "finding" && (
          <select className="input" aria-label="Finding" value={options.finding} onChange={(event) => onChange({ finding: event.target.value })}>
            {findings.map((finding) => (
              <option key={finding.id} value={finding.id}>
                {letters.get(finding.id)} {finding.title}
              </option>
            ))}
          </select>
        )}
      </span>
      {radio("all", "the whole investigation")}
    </fieldset>
  );
}

function ShowsFields({ options, onChange }: Pick<ShareOptionFieldsProps, "options" | "onChange">) {
  const rules = useReport().data?.tool.version;
  const finished = useInvestigation().data?.analysis === "finished";
  const name = useId();
  return (
    <fieldset className="share-row">
      <legend>Shows</legend>
      <label>
        <input type="radio" name={name} checked={options.shows === "frozen"} disabled={!finished} onChange={() => onChange({ shows: "frozen" })} /> frozen now
        {rules ? `, rules ${rules}` : ""}
        {!finished && ", once the analysis is finished"}
      </label>
      <label>
        <input type="radio" name={name} checked={options.shows === "live"} onChange={() => onChange({ shows: "live" })} /> live: re-analysis, new files and
        notes follow
      </label>
    </fieldset>
  );
}

function Row({ name, children }: { name: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="share-row">
      <label htmlFor={id}>{name}</label>
      {children(id)}
    </div>
  );
}

function Check({ checked, onChange, children }: { checked: boolean; onChange: (checked: boolean) => void; children: string }) {
  return (
    <label>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} /> {children}
    </label>
  );
}

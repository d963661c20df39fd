/** Outcome, finding and text to filter connections by. */
import { useEffect, useState } from "react";

import type { ConnectionsFilter } from "../api/queries";
import type { Finding } from "../api/types";

interface ConnectionFiltersProps {
  filter: ConnectionsFilter;
  /** Those that the API knows. */
  outcomes: readonly string[];
  findings: readonly Finding[];
  letters: ReadonlyMap<string, string>;
  change: (changes: Record<string, string | null>) => void;
}

export function ConnectionFilters({ filter, outcomes, findings, letters, change }: ConnectionFiltersProps) {
  const [text, setText] = useState(filter.q ?? "");
  useEffect(() => setText(filter.q ?? ""), [filter.q]);
  const send = () => {
    if (text.trim() !== (filter.q ?? "")) change({ q: text.trim() || null });
  };
  return (
    <div className="connections-filters">
      <label>
        <span>Address or port</span>
        <input
          className="input" type="search" value={text} placeholder="10.244.35.29:41361" onChange={(event) => setText(event.target.value)}
          onBlur={send} onKeyDown={(event) => event.key === "Enter" && send()}
        />
      </label>
      <label>
        <span>Outcome</span>
        <select className="input" value={filter.outcome ?? ""} onChange={(event) => change({ outcome: event.target.value || null })}>
          <option value="">any</option>
          {outcomes.map((outcome) => <option key={outcome}>{outcome}</option>)}
        </select>
      </label>
      <label>
        <span>Finding</span>
        <select className="input" value={filter.finding ?? ""} onChange={(event) => change({ sel: event.target.value || null })}>
          <option value="">any or none</option>
          {findings.map((finding) => <option key={finding.id} value={finding.id}>{letters.get(finding.id)} {finding.title}</option>)}
        </select>
      </label>
    </div>
  );
}

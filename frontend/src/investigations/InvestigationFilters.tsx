/** Above the list of investigations: words, the detector that found something, the host. All in the address. */
import { useEffect, useState } from "react";

import { useDetectorRules } from "../api/queries";
import type { Investigation } from "../api/types";
import { useSetParameters } from "../ui/RouteLink";
import type { InvestigationFilter } from "./useInvestigationList";

const SETTLED_MS = 250;

export function InvestigationFilters({ filter, investigations }: { filter: InvestigationFilter; investigations: readonly Investigation[] }) {
  const setParameters = useSetParameters();
  const kinds = (useDetectorRules().data ?? []).map((rule) => rule.kind);
  const hosts = new Set(investigations.flatMap((investigation) => investigation.hosts));
  if (filter.host) hosts.add(filter.host);
  return (
    <>
      <Search text={filter.q ?? ""} send={(q) => setParameters({ q: q || null }, "replace")} />
      <Choice label="Found" any="any finding" value={filter.kind} options={kinds} choose={(kind) => setParameters({ kind }, "push")} />
      {hosts.size > 0 && <Choice label="Host" any="any host" value={filter.host} options={[...hosts].sort()} choose={(host) => setParameters({ host }, "push")} />}
    </>
  );
}

function Search({ text, send }: { text: string; send: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => {
    if (typed === text) return undefined;
    const timer = window.setTimeout(() => send(typed.trim()), SETTLED_MS);
    return () => window.clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only what is typed is waited for
  }, [typed]);
  return (
    <input
      className="input list-search" type="search" placeholder="Search title and verdict" aria-label="Search title and verdict"
      maxLength={200} value={typed} onChange={(event) => setTyped(event.target.value)}
    />
  );
}

interface ChoiceProps {
  label: string;
  any: string;
  value: string | null;
  options: readonly string[];
  choose: (value: string | null) => void;
}

function Choice({ label, any, value, options, choose }: ChoiceProps) {
  return (
    <select className="input list-choice" aria-label={label} value={value ?? ""} onChange={(event) => choose(event.target.value || null)}>
      <option value="">{any}</option>
      {options.map((option) => <option key={option} value={option}>{option}</option>)}
    </select>
  );
}

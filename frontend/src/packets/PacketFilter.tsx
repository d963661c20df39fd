/** The filter of the packets page: Wireshark's names, with what may come next and how many packets have it. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";

import { ask, queryString } from "../api/http";
import type { FilterSuggestions } from "../api/packets";
import { useSource } from "../api/source";
import { count } from "../format/quantity";

const SETTLED_MS = 120;

interface PacketFilterProps {
  text: string;
  wrong: boolean;
  send: (text: string) => void;
}

function useSuggestions(text: string, open: boolean) {
  const source = useSource();
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), SETTLED_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return useQuery({
    queryKey: [source.key, "filter-suggestions", settled],
    enabled: open,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => ask<FilterSuggestions>(`${source.api}/packets/suggestions${queryString({ text: settled })}`, { headers: source.headers, signal }),
  }).data;
}

export function PacketFilter({ text, wrong, send }: PacketFilterProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(text);
  const [cursor, setCursor] = useState(text.length);
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  useEffect(() => setDraft(text), [text]);
  const found = useSuggestions(draft.slice(0, cursor), open);
  const items = open ? (found?.items ?? []) : [];
  function take(index: number) {
    const item = items[index];
    if (!item || !found) return;
    const before = draft.slice(0, Math.min(found.begin, draft.length)) + item.text;
    setDraft(before + draft.slice(cursor));
    setCursor(before.length);
    setChosen(-1);
    field.current?.focus();
  }
  function keys(event: KeyboardEvent<HTMLInputElement>) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && (items.length || event.key === "ArrowDown")) {
      event.preventDefault();
      setOpen(true);
      setChosen((now) => (now + step + items.length + (now < 0 && step < 0 ? 1 : 0)) % Math.max(1, items.length));
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0 && items.length) {
      event.preventDefault();
      take(chosen);
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  }
  return (
    <form
      className="packet-filter" role="search"
      onSubmit={(event) => {
        event.preventDefault();
        setOpen(false);
        send(draft.trim());
      }}
    >
      <div className="field packet-filter-field">
        <label htmlFor={`${id}-field`}>Filter</label>
        <input
          ref={field} id={`${id}-field`} className="input mono" type="text" role="combobox" autoComplete="off" spellCheck={false} value={draft} aria-invalid={wrong} aria-expanded={items.length > 0}
          aria-controls={`${id}-list`} aria-autocomplete="list" aria-activedescendant={chosen >= 0 && items.length ? `${id}-${chosen}` : undefined}
          aria-describedby={wrong ? "packet-filter-problem" : undefined}
          placeholder="tcp.flags.syn == 1 && finding == A, or part of an address and port" onKeyDown={keys} onBlur={() => setOpen(false)} onFocus={() => setChosen(-1)}
          onSelect={(event) => setCursor(event.currentTarget.selectionStart ?? draft.length)}
          onChange={(event) => {
            setDraft(event.target.value);
            setCursor(event.target.selectionStart ?? event.target.value.length);
            setOpen(true);
            setChosen(-1);
          }}
        />
        <ul id={`${id}-list`} role="listbox" aria-label="Completions" className="card filter-suggestions" hidden={items.length === 0}>
          {items.map((item, index) => (
            <li
              key={item.text} id={`${id}-${index}`} role="option" aria-selected={index === chosen} className={index === chosen ? "filter-suggestion-at" : undefined}
              onPointerDown={(event) => {
                event.preventDefault();
                take(index);
              }}
            >
              <code className="mono">{item.text}</code> <span className="dim">{item.why}</span>
              <span className="filter-count">{item.packets === null ? "" : count(item.packets)}</span>
            </li>
          ))}
        </ul>
      </div>
      <button type="submit" className="button">Filter</button>
      {text && <button type="button" className="button" onClick={() => send("")}>Clear</button>}
    </form>
  );
}

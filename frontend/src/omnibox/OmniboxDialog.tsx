/** One box for going, running, filtering and asking: a combobox with a grouped list under it (ARIA APG). */
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";

import { showOverlay } from "../ui/overlays";
import { useGo } from "../ui/RouteLink";
import type { Group, Suggestion } from "./suggestions";
import "./omnibox.css";

interface OmniboxDialogProps {
  text: string;
  onText: (text: string) => void;
  groups: Group[];
}

const optionId = (suggestion: Suggestion) => `omnibox-${suggestion.id.replace(/[^\w-]/g, "_")}`;

export function OmniboxDialog({ text, onText, groups }: OmniboxDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const go = useGo();
  const [wanted, setWanted] = useState(0);
  const all = useMemo(() => groups.flatMap((group) => group.items), [groups]);
  const at = Math.min(wanted, Math.max(all.length - 1, 0));
  const current = all[at];
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  useEffect(() => setWanted(0), [text]);
  useEffect(() => {
    if (current) document.getElementById(optionId(current))?.scrollIntoView({ block: "nearest" });
  }, [current]);

  function choose(suggestion: Suggestion | undefined) {
    if (!suggestion) return;
    if (!suggestion.href && !suggestion.run) return onText(`? ${suggestion.title}`);
    showOverlay(null);
    if (suggestion.run) suggestion.run();
    else if (suggestion.href) go(suggestion.href);
  }

  function press(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && all.length) setWanted((at + step + all.length) % all.length);
    else if (event.key === "Enter") choose(current);
    else return;
    event.preventDefault();
  }

  return (
    <dialog
      ref={dialog} className="omnibox" aria-label="Search, go, run" onCancel={() => showOverlay(null)} data-testid="omnibox"
      onClick={(event) => event.target === dialog.current && showOverlay(null)}
    >
      <input
        className="omnibox-input" role="combobox" aria-expanded={all.length > 0} aria-controls="omnibox-list" aria-autocomplete="list"
        aria-label="Search, go, run" aria-activedescendant={current ? optionId(current) : undefined} autoFocus autoComplete="off" spellCheck={false}
        placeholder="A, 10.0.0.1:41361, #1228, +1.025s    > run   / filter   ? what is …" value={text}
        onChange={(event) => onText(event.target.value)} onKeyDown={press}
      />
      <div id="omnibox-list" role="listbox" aria-label="Suggestions" className="omnibox-list">
        {groups.map((group) => (
          <div key={group.name} role="group" aria-label={group.name}>
            <div className="omnibox-group" aria-hidden="true">{group.name}</div>
            {group.items.map((item) => (
              <div
                key={item.id} id={optionId(item)} role="option" aria-selected={item === current} className="omnibox-option"
                data-readable={!item.href && !item.run ? "" : undefined}
                onPointerMove={() => setWanted(all.indexOf(item))} onClick={() => choose(item)}
              >
                <span>{item.title}</span> <span className="omnibox-hint">{item.hint}</span>
              </div>
            ))}
          </div>
        ))}
      </div>
      <p className="omnibox-none" role="status">{all.length ? "" : "No match. Try an address, a frame (#12), a time (+1.5s), > for commands or ? for words."}</p>
    </dialog>
  );
}

/** Detection rules checked, and what could not be. Silence would look like absence. */
import { useState } from "react";

import type { Checked } from "../api/types";
import { RouteLink } from "../ui/RouteLink";

export function kindWords(kind: string): string {
  return kind.replaceAll("-", " ");
}

const SIGNS: Record<Checked["status"], string> = { found: "●", harmless: "◐", clear: "○", "not-checkable": "–", failed: "!" };

export type CheckWord = "found" | "seen, harmless" | "none" | "not checked";

const WORDS: Record<Checked["status"], CheckWord> = {
  found: "found", harmless: "seen, harmless", clear: "none", "not-checkable": "not checked", failed: "not checked",
};
const ORDER: CheckWord[] = ["found", "seen, harmless", "none", "not checked"];

const checkWord = (check: Checked): CheckWord => WORDS[check.status];

/** The checks under each of the four words that has any. */
export function byWord(checked: Checked[]): { word: CheckWord; checks: Checked[] }[] {
  return ORDER.map((word) => ({ word, checks: checked.filter((check) => checkWord(check) === word) })).filter((group) => group.checks.length > 0);
}

export function CheckedList({ checked }: { checked: Checked[] }) {
  return (
    <ul className="checked">
      {checked.map((check) => (
        <li key={check.kind} data-testid="checked" data-status={check.status}>
          <span aria-hidden="true">{SIGNS[check.status]}</span>
          {check.kind.includes(":") ? (
            <span className="checked-kind">{kindWords(check.kind).replace(":", " ")}</span>
          ) : (
            <RouteLink className="checked-kind" href={`/detectors/${check.kind}`}>{kindWords(check.kind)}</RouteLink>
          )}
          <span className="checked-word">{checkWord(check)}</span>
          <span className="dim">{check.why}</span>
        </li>
      ))}
    </ul>
  );
}

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Short form beside a verdict: what was not looked at stays visible, the rest opens. */
export function CheckedSummary({ checked }: { checked: Checked[] }) {
  const [open, setOpen] = useState(false);
  return (
    <section className="card panel" aria-label="Checked and not checked">
      <header className="panel-head">
        <h2>Checked and not checked</h2>
        <button type="button" className="link-button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Less" : "All with reasons"}
        </button>
      </header>
      {open ? (
        <CheckedList checked={checked} />
      ) : (
        <dl className="check-words">
          {byWord(checked).map(({ word, checks }) => (
            <div key={word} data-testid="check-word" data-word={word}>
              <dt>{sentenceCase(word)} <span className="dim">{checks.length}</span></dt>
              <dd>{checks.map((check) => kindWords(check.kind).replace(":", " ")).join(" · ")}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

/** Detection rules checked, and what could not be. Silence would look like absence. */
import { useState } from "react";

import type { Checked } from "../api/types";
import { plural } from "../format/quantity";
import { RouteLink } from "../ui/RouteLink";

export function kindWords(kind: string): string {
  return kind.replaceAll("-", " ");
}

const SIGNS: Record<Checked["status"], string> = { found: "●", clear: "○", "not-checkable": "–", failed: "!" };

function words(check: Checked): string {
  if (check.status === "found") return "found";
  if (check.status === "failed") return "check failed";
  return check.status === "clear" ? "found none" : "not checked";
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
          <span className="checked-word">{words(check)}</span>
          <span className="dim">{check.why}</span>
        </li>
      ))}
    </ul>
  );
}

/** Short form beside a verdict: what was not looked at stays visible, the rest opens. */
export function CheckedSummary({ checked }: { checked: Checked[] }) {
  const [open, setOpen] = useState(false);
  const clear = checked.filter((check) => check.status === "clear");
  const not = checked.filter((check) => check.status === "not-checkable" || check.status === "failed");
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
        <>
          <p>
            <b>Found none:</b> {clear.map((check) => kindWords(check.kind)).join(" · ") || "–"}
          </p>
          <p>
            <b>Not checked ({plural(not.length, "thing")}):</b>{" "}
            {not.map((check) => kindWords(check.kind)).join(" · ") || "–"}
          </p>
        </>
      )}
    </section>
  );
}

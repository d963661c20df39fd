/** Nothing fired: what was looked for, plainly, and what could not be. */
import type { Report } from "../api/types";
import { plural } from "../format/quantity";
import { CheckedList } from "./CheckedList";
import { denominatorWords } from "./Denominator";
import { anyHarm } from "./Outcomes";

export function NothingFound({ report }: { report: Report }) {
  const clear = report.checked.filter((check) => check.status === "clear" || check.status === "harmless");
  const open = report.checked.filter((check) => check.status === "not-checkable" || check.status === "failed");
  const ran = report.checked.length - open.length;
  return (
    <section className="card verdict-card" aria-label="Verdict">
      <h1 className="claim" data-testid="claim">
        {anyHarm(report) ? "No rule matched, but some connections or requests failed or were slow: see Outcomes." : "Nothing was found."}{" "}
        {plural(ran, "check")} ran on {denominatorWords(report)}
        {open.length > 0 && `; ${plural(open.length, "check")} could not`}.
      </h1>
      <p className="dim">
        This lists what was checked. Problems that the files do not show cannot be found.
      </p>
      <div className="checked-columns">
        <section aria-label="Checked">
          <h2>Checked</h2>
          {clear.length ? <CheckedList checked={clear} /> : <p>No rule could be checked.</p>}
        </section>
        <section aria-label="Not checked (no data)">
          <h2>Not checked (no data)</h2>
          {open.length ? <CheckedList checked={open} /> : <p className="dim">All rules could be checked.</p>}
        </section>
      </div>
    </section>
  );
}

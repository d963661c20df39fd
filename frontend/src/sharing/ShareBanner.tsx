/** Above a shared investigation: who shares what, for how long, and whether it may still change. */
import { useEffect, useState } from "react";

import { useInvestigation, useReport } from "../api/queries";
import type { ShareSession } from "../api/types";
import { plural } from "../format/quantity";
import { changesBetween, memoryOf, recall, remember } from "./changes";
import "./sharing.css";

export function ShareBanner({ sid, session }: { sid: string; session: ShareSession }) {
  const investigation = useInvestigation();
  return (
    <div className="share-banner" role="note" data-testid="share-banner">
      <StateChip session={session} />
      <span>
        {session.made_by ? `Shared by ${session.made_by}` : "Shared with you"}: <strong>{investigation.data?.label ?? "…"}</strong> · read-only
        {scopeWords(session)}
        {session.addresses === "names" && " · addresses, files and hosts replaced by pseudonyms"}
        {session.payload === "removed" && " · application payload removed"} · expires {session.expires.slice(0, 10)}
      </span>
      {session.shows === "live" && <Changed sid={sid} />}
    </div>
  );
}

function scopeWords({ finding, view }: ShareSession): string {
  if (view?.filter) return ` · one view, packets with ${view.filter}`;
  if (view) return " · one view";
  return finding ? " · one finding" : "";
}

function StateChip({ session }: { session: ShareSession }) {
  const report = useReport().data;
  if (session.shows === "live")
    return <span className="share-state" data-testid="share-state" title="Later analyses and notes are shown, too.">live</span>;
  const made = report ? ` ${report.created.slice(0, 16).replace("T", " ")} UTC, rules ${report.tool.version}` : "";
  return (
    <span className="share-state" data-testid="share-state" title="Snapshot from the creation of the link; later analyses, files and notes are not shown.">
      frozen{made}
    </span>
  );
}

/** Compares with the last visit, once a visit. */
function Changed({ sid }: { sid: string }) {
  const report = useReport().data;
  const [before] = useState(() => recall(sid));
  useEffect(() => {
    if (report) remember(sid, memoryOf(report));
  }, [report, sid]);
  if (!report || !before) return null;
  const changes = changesBetween(before, memoryOf(report));
  if (!changes.length) return null;
  return (
    <details className="share-changes" data-testid="share-changes">
      <summary>{plural(changes.length, "finding")} changed since you looked</summary>
      <ul>
        {changes.map((change) => (
          <li key={change.finding}>{change.words}</li>
        ))}
      </ul>
    </details>
  );
}

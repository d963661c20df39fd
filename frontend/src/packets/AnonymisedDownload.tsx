/** All files of the investigation with other addresses and names, to be given away. */
import type { Look } from "../api/looks";
import { useSource } from "../api/source";
import { count } from "../format/quantity";
import { LookDownload } from "./LookDownload";
import "./packets.css";

const QUESTION = { kind: "anonymising" } as const;

export function AnonymisedDownload() {
  const { readOnly } = useSource();
  if (readOnly) return null;
  return (
    <section className="anonymised" aria-label="Anonymized download">
      <LookDownload question={QUESTION} label="Download anonymized .tar.gz" busyLabel={busyLabel} testId="anonymised" />
      <p className="dim">
        All captures and dumps with pseudonyms for addresses and names, the same in every download of this investigation; payload is zeroed.
        Stallscope finds the same results in them.
      </p>
    </section>
  );
}

function busyLabel(look: Look | undefined): string {
  return look?.total ? `Anonymizing: ${count(look.done)} of ${count(look.total)} packets …` : "Anonymizing …";
}

/** Lines of a dump that nobody understood, with their numbers and their text. */
import { useState } from "react";

import { useDumpLines } from "../api/queries";
import type { EvidenceFile } from "../api/types";
import { count } from "../format/quantity";
import { RouteLink, useHrefWith } from "../ui/RouteLink";

const SHOWN_AT_FIRST = 5;
const SHOWN_MORE = 20;

export function StrangeLines({ file }: { file: EvidenceFile }) {
  const [shown, setShown] = useState(0);
  const numbers = file.not_understood_at;
  if (!numbers.length) return null;
  const next = shown ? SHOWN_MORE : SHOWN_AT_FIRST;
  return (
    <div className="strange-lines" data-testid="strange-lines">
      {shown > 0 && (
        <ol>
          {numbers.slice(0, shown).map((number) => (
            <StrangeLine key={number} input={file.name} number={number} />
          ))}
        </ol>
      )}
      {shown < numbers.length && (
        <button type="button" className="link-button" onClick={() => setShown(shown + next)}>
          {shown ? "Show more of them" : `Show what was not understood (${count(file.lines_not_understood)})`}
        </button>
      )}
    </div>
  );
}

function StrangeLine({ input, number }: { input: string; number: number }) {
  const hrefWith = useHrefWith();
  const text = useDumpLines(input, number, number).data?.lines[0]?.text;
  return (
    <li>
      <RouteLink href={hrefWith({ text: input, line: String(number) })}>line {count(number)}</RouteLink>{" "}
      <code className="mono">{text ?? "…"}</code>
    </li>
  );
}

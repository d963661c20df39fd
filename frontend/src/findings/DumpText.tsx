/** A dump's text with the cited lines marked and in view. Reads a stretch around them, more on demand. */
import { useEffect, useRef, useState } from "react";

import { useDumpLines } from "../api/queries";
import type { DumpLines } from "../api/types";
import { count } from "../format/quantity";
import { Region } from "../ui/Region";

const AROUND_LINES = 60;
const MORE_LINES = 400;

interface DumpTextProps {
  input: string;
  /** Cited lines, 1-based, both included; 0 marks none. */
  first: number;
  last: number;
}

export function DumpText({ input, first, last }: DumpTextProps) {
  const [from, setFrom] = useState(Math.max(1, first - AROUND_LINES));
  const [to, setTo] = useState(Math.max(first, last) + AROUND_LINES);
  const query = useDumpLines(input, from, to);
  return (
    <Region label={`Text of ${input}`} query={query} empty={(text) => (text.lines.length ? null : "No such line.")}>
      {(text) => (
        <>
          {from > 1 && (
            <button type="button" className="button" onClick={() => setFrom(Math.max(1, from - MORE_LINES))}>
              Earlier lines
            </button>
          )}
          <Lines text={text} first={first} last={last} />
          {to < text.lines_total && (
            <button type="button" className="button" onClick={() => setTo(to + MORE_LINES)}>
              Later lines
            </button>
          )}
          <p className="dim">{count(text.lines_total)} lines in all</p>
        </>
      )}
    </Region>
  );
}

function Lines({ text, first, last }: { text: DumpLines; first: number; last: number }) {
  const cited = useRef<HTMLLIElement>(null);
  const ready = text.lines.length > 0;
  useEffect(() => {
    if (ready) cited.current?.scrollIntoView({ block: "center" });
  }, [ready, first]);
  return (
    <ol className="dump-text" data-testid="dump-text">
      {text.lines.map((line) => {
        const marked = line.n >= first && line.n <= last;
        return (
          <li
            key={line.n}
            ref={line.n === first ? cited : undefined}
            className={marked ? "dump-line dump-line-cited" : "dump-line"}
            aria-current={marked ? "true" : undefined}
            data-line={line.n}
          >
            <span className="dump-line-number">{line.n}</span>
            <code>{line.text || " "}</code>
          </li>
        );
      })}
    </ol>
  );
}

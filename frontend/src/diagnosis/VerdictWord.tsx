/** How sure: a word and four bars, never a percentage. Its rule is printed on demand. */
import { Popover } from "@mantine/core";

import type { Verdict } from "../api/types";

interface Meaning {
  word: string;
  bars: number;
  rule: string;
}

const MEANINGS: Record<Verdict, Meaning> = {
  confirmed: {
    word: "Confirmed",
    bars: 4,
    rule: "The fault was captured on both sides, and an independent source agrees.",
  },
  likely: {
    word: "Likely",
    bars: 3,
    rule: "The pattern and one independent sign were found, and all alternatives are ruled out.",
  },
  possible: {
    word: "Possible",
    bars: 2,
    rule: "Only the pattern was found, and at least one alternative is possible.",
  },
  "cannot-tell": { word: "Undecided", bars: 1, rule: "An input that would decide it is missing." },
};

function Bars({ filled }: { filled: number }) {
  return (
    <svg viewBox="0 0 18 12" width="18" height="12" role="img" aria-label={`${filled} of 4 bars`}>
      {[0, 1, 2, 3].map((bar) => (
        <rect
          key={bar}
          x={bar * 4.6 + 0.5}
          y={9 - bar * 2.6}
          width="3"
          height={2.5 + bar * 2.6}
          className={bar < filled ? "bar-filled" : "bar-empty"}
        />
      ))}
    </svg>
  );
}

export function VerdictWord({ verdict, plain = false }: { verdict: Verdict; plain?: boolean }) {
  const meaning = MEANINGS[verdict];
  const inside = (
    <>
      <Bars filled={meaning.bars} /> {meaning.word}
    </>
  );
  if (plain) return <span className="verdict-word">{inside}</span>;
  return (
    <Popover width={320} position="bottom-start" withArrow shadow="md">
      <Popover.Target>
        <button type="button" className="verdict-word verdict-word-button" data-testid="verdict" title="Meaning of the verdict">
          {inside}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <strong>{meaning.word}.</strong> {meaning.rule}
      </Popover.Dropdown>
    </Popover>
  );
}

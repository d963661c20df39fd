/** Text whose terms of the field are dotted; their meaning opens on hover, focus and tap. */
import { Tooltip } from "@mantine/core";
import type { ReactNode } from "react";

import { termsIn, type Term } from "./terms";
import "./glossary.css";

const WIDTH_PX = 300;

export function Worded({ text }: { text: string }) {
  const parts: ReactNode[] = [];
  let done = 0;
  for (const found of termsIn(text)) {
    parts.push(text.slice(done, found.at), <Dotted key={found.at} term={found.term} text={found.text} />);
    done = found.at + found.text.length;
  }
  return <>{[...parts, text.slice(done)]}</>;
}

function Dotted({ term, text }: { term: Term; text: string }) {
  return (
    <Tooltip label={term.means} multiline w={WIDTH_PX} withArrow events={{ hover: true, focus: true, touch: true }}>
      <span className="term" tabIndex={0} data-term={term.name}>{text}</span>
    </Tooltip>
  );
}

/** One frame's decoded columns, with the frames before and after it in the file. */
import { useEffect, useRef } from "react";

import { useFrame } from "../api/queries";
import { useSource } from "../api/source";
import type { Frame, FrameColumn } from "../api/types";
import { CopyButton } from "../ui/CopyButton";
import { Region } from "../ui/Region";
import { RouteLink } from "../ui/RouteLink";
import { evidenceParameter } from "./evidenceAddress";
import { EvidenceLink } from "./EvidenceLinks";

function valueOf(column: FrameColumn): string {
  if (column.value === null || column.value === "") return "–";
  return column.unit ? `${column.value} ${column.unit}` : String(column.value);
}

function at(input: string, frame: number) {
  return { input, kind: "frame" as const, first: frame, last: frame };
}

export function FrameColumns({ input, frame }: { input: string; frame: number }) {
  const { page } = useSource();
  const query = useFrame(input, frame);
  return (
    <>
      <nav className="evidence-walk" aria-label="Frames">
        {frame > 1 && <EvidenceLink target={at(input, frame - 1)}>← #{frame - 1}</EvidenceLink>}
        <EvidenceLink target={at(input, frame + 1)}>#{frame + 1} →</EvidenceLink>
        <RouteLink href={`${page}/packets?evidence=${encodeURIComponent(evidenceParameter(at(input, frame)))}`}>in the list</RouteLink>
        <CopyButton text={`frame.number == ${frame}`} label="Copy Wireshark filter" />
      </nav>
      <Region label={`Frame ${frame}`} query={query}>
        {(answer) => <Columns frame={answer} />}
      </Region>
    </>
  );
}

function Columns({ frame }: { frame: Frame }) {
  const row = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    // In braces: newer browsers answer with a promise, which React would take for a clean-up.
    row.current?.scrollIntoView({ block: "nearest" });
  }, [frame]);
  return (
    <table className="table evidence-frame" data-testid="frame" data-frame={frame.frame}>
      <caption className="visually-hidden">
        Frame {frame.frame} of {frame.input}
      </caption>
      <tbody ref={row}>
        {frame.columns.map((column) => (
          <tr key={column.name}>
            <th scope="row" title={column.meaning}>
              {column.name}
            </th>
            <td className="mono">{valueOf(column)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

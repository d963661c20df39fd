/** One mark in the side panel: what it says and the frames and lines that prove it. */
import type { TimelineLane, TimelineMark } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { useReadTime } from "../format/clock";
import { stretch } from "../format/offset";
import { SidePanel } from "../ui/SidePanel";
import { glyphWord, laneNames } from "./marks";

const MANY = 40;

interface MarkPanelProps {
  mark: TimelineMark;
  lanes: readonly TimelineLane[];
  text: string;
  onClose: () => void;
}

export function MarkPanel({ mark, lanes, text, onClose }: MarkPanelProps) {
  const read = useReadTime();
  return (
    <SidePanel title={mark.label || glyphWord(mark.glyph)} label={text} onClose={onClose}>
      <p>{text}</p>
      <table className="facts">
        <tbody>
          <tr><th>time</th><td className="mono">{read(mark.t)}</td></tr>
          {mark.t_end !== null && mark.t_end > mark.t && <tr><th>lasts</th><td className="mono">{stretch(mark.t_end - mark.t)}</td></tr>}
          <tr><th>lane</th><td>{laneNames(mark, lanes)}</td></tr>
          {mark.glyph === "note" ? <tr><th>basis</th><td>written by an analyst</td></tr> : <Basis mark={mark} />}
        </tbody>
      </table>
    </SidePanel>
  );
}

function Basis({ mark }: { mark: TimelineMark }) {
  return (
    <>
      <tr><th>basis</th><td>{mark.basis === "seen" ? "seen in a capture or dump" : "inferred from the capture"}</td></tr>
      <tr><th>evidence</th><td><EvidenceLinks evidence={mark.evidence} shown={MANY} /></td></tr>
    </>
  );
}

/** What is under the pointer, as text. */
import type { TimelineMark } from "../api/types";
import { useReadTime } from "../format/clock";
import { stretch } from "../format/offset";
import { glyphSign } from "./marks";

interface MarkTipProps {
  mark: TimelineMark;
  /** Previous mark of the same finding, to say how far apart they are. */
  previous: TimelineMark | null;
  text: string;
  x: number;
  y: number;
  widthPx: number;
}

const TIP_PX = 320;

export function MarkTip({ mark, previous, text, x, y, widthPx }: MarkTipProps) {
  const read = useReadTime();
  const left = x + TIP_PX + 16 > widthPx ? Math.max(x - TIP_PX - 14, 0) : x + 14;
  return (
    <div role="tooltip" className="timeline-tip" style={{ left, top: y + 12 }}>
      <strong className={`role-${mark.role}`}>{glyphSign(mark.glyph)}</strong> {text}
      <div className="timeline-tip-time">
        {read(mark.t)}
        {previous !== null && previous.id !== mark.id && ` · ${stretch(mark.t - previous.t)} after the previous mark`}
      </div>
    </div>
  );
}

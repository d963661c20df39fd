/** What can be done with a stretch of time that was dragged over. */
import { useState } from "react";

import { stretch as stretchWords } from "../format/offset";
import type { Stretch } from "./usePointer";
import type { TimeWindow } from "./timeWindow";

interface SelectionBarProps {
  stretch: Stretch;
  top: number;
  widthPx: number;
  onZoom: (w: TimeWindow) => void;
  onFilter: (w: TimeWindow) => void;
  /** Left out where notes cannot be written. */
  onNote?: (w: TimeWindow) => void;
  linkTo: (w: TimeWindow) => string;
}

const BAR_PX = 430;

export function SelectionBar({ stretch, top, widthPx, onZoom, onFilter, onNote, linkTo }: SelectionBarProps) {
  const [copied, setCopied] = useState(false);
  const left = Math.min(Math.max((stretch.fromPx + stretch.toPx) / 2 - BAR_PX / 2, 0), Math.max(widthPx - BAR_PX, 0));
  async function share() {
    await navigator.clipboard.writeText(linkTo(stretch.range));
    setCopied(true);
  }
  const stop = (event: React.PointerEvent) => event.stopPropagation();
  return (
    <div
      role="toolbar" aria-label={`Selected ${stretchWords(stretch.range.durationNs)}`} className="timeline-bar"
      style={{ left, top }} onPointerDown={stop} onPointerUp={stop} data-testid="selection-bar"
    >
      <span className="timeline-bar-length">{stretchWords(stretch.range.durationNs)}</span>
      <button type="button" onClick={() => onZoom(stretch.range)}>Zoom</button>
      <button type="button" onClick={() => onFilter(stretch.range)}>Filter tables</button>
      {onNote && <button type="button" onClick={() => onNote(stretch.range)}>Add note</button>}
      <button type="button" onClick={() => void share()}>{copied ? "Link copied" : "Share range"}</button>
    </div>
  );
}

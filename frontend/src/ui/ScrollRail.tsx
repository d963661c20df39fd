/** The scrollbar of a long table: times beside it, and marks of what matters. */
import { useRef, type KeyboardEvent, type PointerEvent } from "react";

import { furthestFirst, rowsOfKey, type View } from "./rowWindow";
import "./scrollRail.css";

interface RailTick {
  row: number;
  label: string;
}

interface RailMark {
  row: number;
  label: string;
  /** Role of trouble, whose colour it has. */
  role: string;
}

export interface Rail {
  ticks: readonly RailTick[];
  marks: readonly RailMark[];
}

interface ScrollRailProps {
  rail: Rail;
  label: string;
  controls: string;
  total: number;
  first: number;
  view: View;
  goTo: (row: number) => void;
}

export function ScrollRail({ rail, label, controls, total, first, view, goTo }: ScrollRailProps) {
  const bar = useRef<HTMLDivElement>(null);
  const grabbed = useRef(0);
  const { view_px, row_px } = view;
  const furthest = furthestFirst(total, view);
  const seen = Math.min(1, view_px / row_px / Math.max(1, total));
  const thumb_px = Math.max(24, seen * view_px);
  const way_px = Math.max(1, view_px - thumb_px);
  const top_px = furthest === 0 ? 0 : (first / furthest) * way_px;
  const placeOf = (row: number) => (furthest === 0 ? 0 : Math.min(1, row / furthest) * way_px + Math.min(thumb_px / 2, 12));
  function press(event: PointerEvent<HTMLDivElement>) {
    const y = event.clientY - (bar.current?.getBoundingClientRect().top ?? 0);
    const onThumb = y >= top_px && y <= top_px + thumb_px;
    grabbed.current = onThumb ? y - top_px : thumb_px / 2;
    event.currentTarget.setPointerCapture(event.pointerId);
    if (!onThumb) goTo(((y - grabbed.current) / way_px) * furthest);
  }
  function drag(event: PointerEvent<HTMLDivElement>) {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const y = event.clientY - (bar.current?.getBoundingClientRect().top ?? 0);
    goTo(((y - grabbed.current) / way_px) * furthest);
  }
  function move(event: KeyboardEvent<HTMLDivElement>) {
    const rows = rowsOfKey(event.key, total, view);
    if (rows === null) return;
    event.preventDefault();
    goTo(first + rows);
  }
  const above = [...rail.ticks].reverse().find((tick) => tick.row <= first);
  return (
    <div
      ref={bar} role="scrollbar" tabIndex={0} className="scroll-rail" aria-label={`${label}: scrollbar`} aria-controls={controls} aria-orientation="vertical"
      aria-valuemin={1} aria-valuemax={Math.max(1, total)} aria-valuenow={Math.min(total, Math.floor(first) + 1)}
      aria-valuetext={`row ${Math.floor(first) + 1} of ${total}${above ? `, from ${above.label}` : ""}`}
      style={{ height: view_px }} onPointerDown={press} onPointerMove={drag} onKeyDown={move}
    >
      <span className="scroll-thumb" style={{ top: top_px, height: thumb_px }} />
      {rail.ticks.map((tick) => <span key={`t${tick.label}`} className="scroll-tick" style={{ top: placeOf(tick.row) }}>{tick.label}</span>)}
      {rail.marks.map((mark, at) => <span key={at} className={`scroll-mark role-${mark.role}`} title={mark.label} data-testid="rail-mark" style={{ top: placeOf(mark.row) }} />)}
    </div>
  );
}

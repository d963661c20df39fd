/** Going through the cells of a long table by keys, and asking what can be done with one. */
import { useEffect, useRef, type KeyboardEvent, type MouseEvent, type RefObject } from "react";

export interface CellMenuAt {
  row: number;
  column: number;
  /** In pixels of the window. */
  x: number;
  y: number;
}

interface CellKeys {
  active: boolean;
  scroller: RefObject<HTMLDivElement | null>;
  rows: { from: number; to: number };
  total: number;
  columns: number;
  goTo: (row: number) => void;
  open?: (at: CellMenuAt) => void;
}

const STEPS: Record<string, [number, number]> = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };
/** Rows that stay between the cell gone to and the edge. */
const MARGIN = 3;

function placeOf(target: EventTarget): { row: number; column: number } | null {
  const cell = target instanceof Element ? target.closest("[data-cell]") : null;
  const [row, column] = cell?.getAttribute("data-cell")?.split(":").map(Number) ?? [];
  return row === undefined || column === undefined ? null : { row, column };
}

export function useCellKeys({ active, scroller, rows, total, columns, goTo, open }: CellKeys) {
  const wanted = useRef<string | null>(null);
  // A cell that comes into view only now is gone to as soon as it is there.
  useEffect(() => {
    const cell = wanted.current === null ? null : scroller.current?.querySelector<HTMLElement>(`[data-cell="${wanted.current}"]`);
    if (!cell) return;
    wanted.current = null;
    cell.focus({ preventScroll: true });
  });
  function focus(row: number, column: number) {
    wanted.current = `${row}:${column}`;
    scroller.current?.querySelector<HTMLElement>(`[data-cell="${row}:${column}"]`)?.focus({ preventScroll: true });
    if (row <= rows.from || row >= rows.to - 1) goTo(row < rows.from + MARGIN ? row - MARGIN : row - (rows.to - rows.from) + MARGIN);
  }
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    if (!active || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === event.currentTarget) {
      if (event.key !== "Enter" || total === 0) return;
      event.preventDefault();
      focus(Math.min(total - 1, rows.from + 1), 0);
      return;
    }
    const at = placeOf(event.target);
    if (at === null || !(event.target instanceof HTMLElement) || event.target.dataset.cell === undefined) return;
    const step = STEPS[event.key];
    if (step) focus(Math.max(0, Math.min(total - 1, at.row + step[0])), Math.max(0, Math.min(columns - 1, at.column + step[1])));
    else if (event.key === "Escape") scroller.current?.focus();
    else if (event.key === "Enter" || event.key === "ContextMenu") {
      const box = event.target.getBoundingClientRect();
      open?.({ ...at, x: box.left, y: box.bottom });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
  function onContextMenu(event: MouseEvent<HTMLDivElement>) {
    const at = active ? placeOf(event.target) : null;
    if (at === null || !open || (event.target instanceof Element && event.target.closest("a"))) return;
    event.preventDefault();
    open({ ...at, x: event.clientX, y: event.clientY });
  }
  return { onKeyDown, onContextMenu };
}

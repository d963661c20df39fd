/**
 * Which rows of a long table are in view. A browser cuts an element's height off at about 33 million pixels, so
 * the track of more rows than fit under HIGHEST_PX stands for several rows a pixel, and wheel and keys move by rows.
 */

export const ROW_PX = 26;
export const HIGHEST_PX = 8_000_000;

/** Height of the track that the scrollbar measures. */
export function trackPx(total: number): number {
  return Math.min(total * ROW_PX, HIGHEST_PX);
}

export function isScaled(total: number): boolean {
  return total * ROW_PX > HIGHEST_PX;
}

/** The furthest that the first row can be, so that the last one is at the lower edge. */
export function furthestFirst(total: number, view_px: number): number {
  return Math.max(0, total - view_px / ROW_PX);
}

/** The first row in view, with its fraction scrolled away, at a position of the scrollbar. */
export function firstRowAt(scrollTop_px: number, total: number, view_px: number): number {
  if (!isScaled(total)) return scrollTop_px / ROW_PX;
  const way = Math.max(1, HIGHEST_PX - view_px);
  return Math.min(1, scrollTop_px / way) * furthestFirst(total, view_px);
}

/** The scrollbar's position for a first row: the other way round. */
export function scrollTopOf(first: number, total: number, view_px: number): number {
  if (!isScaled(total)) return first * ROW_PX;
  const furthest = furthestFirst(total, view_px);
  return furthest === 0 ? 0 : (first / furthest) * (HIGHEST_PX - view_px);
}

/** First and last row to draw, both included. */
export function rowsInView(first: number, total: number, view_px: number): { from: number; to: number } {
  const from = Math.max(0, Math.floor(first));
  return { from, to: Math.min(total - 1, Math.ceil(first + view_px / ROW_PX)) };
}

/** How many rows a key moves by; null for keys that do not move. */
export function rowsOfKey(key: string, total: number, view_px: number): number | null {
  const page = Math.max(1, Math.floor(view_px / ROW_PX) - 1);
  const steps: Record<string, number> = {
    ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -total, End: total,
  };
  return steps[key] ?? null;
}

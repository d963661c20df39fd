/**
 * Which rows of a long table are in view. A browser cuts an element's height off at about 33 million pixels, so
 * the track of more rows than fit under HIGHEST_PX stands for several rows a pixel, and wheel and keys move by rows.
 */

/** Heights of a row by the density of the settings. */
export const ROW_HEIGHTS_PX = { compact: 24, comfortable: 32 } as const;
export const HIGHEST_PX = 8_000_000;

/** The part of a table that rows are seen in, and how high each of them is. */
export interface View {
  view_px: number;
  row_px: number;
}

/** Height of the track that the scrollbar measures. */
export function trackPx(total: number, row_px: number): number {
  return Math.min(total * row_px, HIGHEST_PX);
}

export function isScaled(total: number, row_px: number): boolean {
  return total * row_px > HIGHEST_PX;
}

/** The furthest that the first row can be, so that the last one is at the lower edge. */
export function furthestFirst(total: number, { view_px, row_px }: View): number {
  return Math.max(0, total - view_px / row_px);
}

/** The first row in view, with its fraction scrolled away, at a position of the scrollbar. */
export function firstRowAt(scrollTop_px: number, total: number, view: View): number {
  if (!isScaled(total, view.row_px)) return scrollTop_px / view.row_px;
  const way = Math.max(1, HIGHEST_PX - view.view_px);
  return Math.min(1, scrollTop_px / way) * furthestFirst(total, view);
}

/** The scrollbar's position for a first row: the other way round. */
export function scrollTopOf(first: number, total: number, view: View): number {
  if (!isScaled(total, view.row_px)) return first * view.row_px;
  const furthest = furthestFirst(total, view);
  return furthest === 0 ? 0 : (first / furthest) * (HIGHEST_PX - view.view_px);
}

/** First and last row to draw, both included. */
export function rowsInView(first: number, total: number, { view_px, row_px }: View): { from: number; to: number } {
  const from = Math.max(0, Math.floor(first));
  return { from, to: Math.min(total - 1, Math.ceil(first + view_px / row_px)) };
}

/** How many rows a key moves by; null for keys that do not move. */
export function rowsOfKey(key: string, total: number, { view_px, row_px }: View): number | null {
  const page = Math.max(1, Math.floor(view_px / row_px) - 1);
  const steps: Record<string, number> = {
    ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -total, End: total,
  };
  return steps[key] ?? null;
}

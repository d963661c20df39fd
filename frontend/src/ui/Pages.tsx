/** Walks a table of which a page is shown; nothing where one page holds all. */
import { count } from "../format/quantity";

export const ROWS_A_PAGE = 25;

interface PagesProps {
  /** From 0 on. */
  page: number;
  rows: number;
  /** Where more exist than can be walked. */
  total?: number;
  show: (page: number) => void;
}

export function Pages({ page, rows, total = rows, show }: PagesProps) {
  const pages = Math.ceil(rows / ROWS_A_PAGE);
  if (pages <= 1) return null;
  return (
    <p className="row-pages" data-testid="row-pages">
      <button type="button" className="button" disabled={page === 0} onClick={() => show(page - 1)}>Previous</button>
      <span className="dim">{count(page * ROWS_A_PAGE + 1)}–{count(Math.min(rows, (page + 1) * ROWS_A_PAGE))} of {count(total)}</span>
      <button type="button" className="button" disabled={page >= pages - 1} onClick={() => show(page + 1)}>Next</button>
    </p>
  );
}

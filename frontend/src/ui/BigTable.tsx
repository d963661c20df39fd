/** A table of any number of rows: those in view are in the document, the rest is asked for when it comes into view. */
import { useEffect, useId, useMemo, useState, type HTMLAttributes, type ReactNode } from "react";

import { ColumnWords } from "../glossary/Plain";
import { count } from "../format/quantity";
import { useSettings } from "../settings/settings";
import { ROW_HEIGHTS_PX, trackPx } from "./rowWindow";
import { ScrollRail, type Rail } from "./ScrollRail";
import { useCellKeys, type CellMenuAt } from "./useCellKeys";
import { useRowWindow } from "./useRowWindow";
import "./bigTable.css";

export interface BigColumn {
  name: string;
  /** Stands in the head, behind the name. */
  unit?: string;
  number?: boolean;
  /** In characters; the column takes its share of what is left, too. */
  width: number;
  why?: string;
  /** Given where rows can be ordered by it: the present order if they are, and what to do when it is wanted. */
  sort?: { order: "asc" | "desc" | null; choose: () => void };
}

/** What a row of the table says of itself. */
export type RowProps = Pick<HTMLAttributes<HTMLDivElement>, "onClick" | "onPointerEnter" | "onPointerLeave" | "aria-selected"> & { [name: `data-${string}`]: string | number | undefined };

interface BigTableProps {
  label: string;
  columns: readonly BigColumn[];
  total: number;
  /** The cells of a row, or null while it is on its way. */
  cells: (row: number) => ReactNode[] | null;
  /** Told which rows are in view. */
  onVisible?: (from: number, to: number) => void;
  /** Row to bring into view and to mark; its first row is 0. */
  at?: number | null;
  height_px?: number;
  /** A scrollbar of its own, with times and marks beside the rows, instead of the browser's. */
  rail?: Rail;
  /** Right click, or Enter on a cell. Enter on the table leads into its cells, arrows go on, Escape leads out. */
  onCellMenu?: (at: CellMenuAt) => void;
  rowProps?: (row: number) => RowProps;
  testId?: string;
}

const HEAD_PX = 30;
/** Room for a horizontal scrollbar, whether there is one or not. */
const SCROLLBAR_PX = 18;

/** `minmax(12ch, 12fr) …`: at least the text, and a share of the rest. */
function gridColumns(columns: readonly BigColumn[]): string {
  return columns.map((column) => `minmax(${column.width}ch, ${column.width}fr)`).join(" ");
}

export function BigTable({ label, columns, total, cells, onVisible, at = null, height_px = 560, rail, onCellMenu, rowProps, testId }: BigTableProps) {
  const id = useId();
  const row_px = ROW_HEIGHTS_PX[useSettings().density];
  // Whole rows: half a row at the foot looks like a fault.
  const view_px = Math.min(Math.floor((height_px - HEAD_PX) / row_px), Math.max(1, total)) * row_px;
  const size = useMemo(() => ({ view_px, row_px }), [view_px, row_px]);
  const view = useRowWindow(total, size);
  const { from, to } = view.rows;
  const { goTo } = view;
  useEffect(() => onVisible?.(from, to), [onVisible, from, to]);
  const [shown, setShown] = useState<number | null>(null);
  useEffect(() => {
    if (at === null || at === shown || at >= total) return;
    setShown(at);
    goTo(at - view_px / row_px / 3);
  }, [at, shown, total, goTo, view_px, row_px]);
  const cellKeys = useCellKeys({ active: onCellMenu !== undefined, scroller: view.scroller, rows: view.rows, total, columns: columns.length, goTo, open: onCellMenu });
  const grid = gridColumns(columns);
  // With that room under the last row, or the scrollbar would end before it: by twenty rows where a pixel stands for many.
  const track_px = trackPx(total, row_px) + (total * row_px > view_px ? SCROLLBAR_PX : 0);
  const width = columns.reduce((sum, column) => sum + column.width + 2, 0);
  return (
    <>
      <ColumnWords columns={columns} />
      <div className={rail ? "big-frame card" : undefined}>
      <div
        ref={view.scroller} id={id} className={rail ? "big-table big-table-railed" : "big-table card"} tabIndex={0} role="region" aria-label={`${label}, ${count(total)} rows, scrollable`}
        style={{ maxHeight: view_px + HEAD_PX + SCROLLBAR_PX }} onScroll={view.onScroll} onContextMenu={cellKeys.onContextMenu}
        onKeyDown={(event) => {
          cellKeys.onKeyDown(event);
          if (!event.defaultPrevented) view.onKeyDown(event);
        }}
      >
        <div role="table" aria-label={label} aria-rowcount={total} aria-colcount={columns.length} data-testid={testId} style={{ minWidth: `${width}ch`, height: track_px + HEAD_PX }}>
          <Head columns={columns} />
          <div role="rowgroup" className="big-view" style={{ height: view_px, top: HEAD_PX }}>
            {Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index).map((row) => (
              <div
                {...rowProps?.(row)} key={row} role="row" aria-rowindex={row + 1} className={row === at ? "big-row big-row-at" : "big-row"}
                style={{ gridTemplateColumns: grid, top: (row - view.first) * row_px, height: row_px }}
              >
                <Cells columns={columns} cells={cells(row)} row={onCellMenu ? row : null} />
              </div>
            ))}
          </div>
        </div>
      </div>
      {rail && <div className="big-rail" style={{ paddingTop: HEAD_PX }}><ScrollRail rail={rail} label={label} controls={id} total={total} first={view.first} view={size} goTo={goTo} /></div>}
      </div>
    </>
  );
}

function Head({ columns }: { columns: readonly BigColumn[] }) {
  return (
    <div role="row" className="big-row big-head" style={{ gridTemplateColumns: gridColumns(columns), height: HEAD_PX }}>
      {columns.map((column, at) => (
        <span key={at} role="columnheader" className={column.number ? "number" : undefined} title={column.why} aria-sort={sortWord(column)}>
          {column.sort ? <button type="button" className="big-sort" onClick={column.sort.choose}>{column.name}{column.sort.order && (column.sort.order === "asc" ? " ▲" : " ▼")}</button> : column.name}
          {column.unit && <small> ({column.unit})</small>}
        </span>
      ))}
    </div>
  );
}

function sortWord({ sort }: BigColumn): "ascending" | "descending" | undefined {
  if (!sort?.order) return undefined;
  return sort.order === "asc" ? "ascending" : "descending";
}

/** `row` is given where a cell can be gone to. */
function Cells({ columns, cells, row }: { columns: readonly BigColumn[]; cells: ReactNode[] | null; row: number | null }) {
  return columns.map((column, at) => (
    <span key={at} role="cell" className={column.number ? "number" : undefined} tabIndex={row === null ? undefined : -1} data-cell={row === null ? undefined : `${row}:${at}`}>
      {cells === null ? <i className="big-waiting" /> : cells[at]}
    </span>
  ));
}

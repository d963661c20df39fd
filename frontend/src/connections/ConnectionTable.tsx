/** Virtual table over pages of connections: the server sorts and filters, the browser draws what is in view. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";

import type { Connection } from "../api/types";
import { ColumnWords } from "../glossary/Plain";
import { COLUMNS, ConnectionCells, type RowContext, type SortKey } from "./ConnectionRows";
import "../ui/roles.css";
import "./connections.css";

const ROW_PX = 28;
const OVERSCAN = 12;

interface ConnectionTableProps {
  rows: readonly Connection[];
  total: number;
  context: RowContext;
  sort: SortKey;
  order: "asc" | "desc";
  onSort?: (sort: SortKey) => void;
  /** Asked for when the last loaded rows come into view. */
  more?: () => void;
  heightPx?: number;
}

export function ConnectionTable({ rows, total, context, sort, order, onSort, more, heightPx = 620 }: ConnectionTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => ROW_PX, overscan: OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length < total && last >= rows.length - OVERSCAN) more?.();
  }, [last, rows.length, total, more]);
  return (
    <>
      <ColumnWords columns={COLUMNS} />
      <div ref={scroller} className="connections-scroll" style={{ maxHeight: heightPx }} tabIndex={0} aria-label="Connections, scrollable">
        <div role="table" className="connections-table" aria-label="Connections" aria-rowcount={total} data-testid="connections-table">
          <div role="row" className="connections-row connections-head">
            {COLUMNS.map((column) => (
              <Heading key={column.name} {...column} active={column.sort === sort} order={order} onSort={onSort} />
            ))}
          </div>
          <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
            {items.map((item) => {
              const connection = rows[item.index];
              return connection === undefined ? null : (
                <div
                  key={connection.cid} role="row" aria-rowindex={item.index + 1} className="connections-row" data-cid={connection.cid}
                  style={{ position: "absolute", top: item.start, left: 0, right: 0, height: ROW_PX }}
                >
                  <ConnectionCells connection={connection} context={context} />
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </>
  );
}

interface HeadingProps {
  name: string;
  sort?: SortKey;
  number?: boolean;
  why?: string;
  active: boolean;
  order: "asc" | "desc";
  onSort?: (sort: SortKey) => void;
}

function Heading({ name, sort, number, why, active, order, onSort }: HeadingProps) {
  const arrow = active ? (order === "asc" ? " ▲" : " ▼") : "";
  return (
    <span role="columnheader" className={number ? "number" : undefined} title={why} aria-sort={active ? (order === "asc" ? "ascending" : "descending") : undefined}>
      {sort !== undefined && onSort !== undefined
        ? <button type="button" className="connections-sort" onClick={() => onSort(sort)}>{name}{arrow}</button>
        : name}
    </span>
  );
}

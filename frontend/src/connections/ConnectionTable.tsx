/** The table of logical connections: the server sorts and filters, any row can be jumped to. */
import { useMemo } from "react";

import type { Connection } from "../api/types";
import { BigTable } from "../ui/BigTable";
import { useNameOf } from "../names/NamesProvider";
import { COLUMNS, connectionCells, type RowContext, type SortKey } from "./ConnectionRows";
import "../ui/roles.css";
import "./connections.css";

interface ConnectionTableProps {
  total: number;
  rowAt: (row: number) => Connection | undefined;
  onVisible: (from: number, to: number) => void;
  context: Omit<RowContext, "nameOf">;
  sort: SortKey;
  order: "asc" | "desc";
  onSort?: (sort: SortKey) => void;
  height_px?: number;
}

export function ConnectionTable({ total, rowAt, onVisible, context, sort, order, onSort, height_px = 640 }: ConnectionTableProps) {
  const nameOf = useNameOf();
  const columns = useMemo(
    () => COLUMNS.map(({ key, ...column }) => (key && onSort ? { ...column, sort: { order: key === sort ? order : null, choose: () => onSort(key) } } : column)),
    [onSort, order, sort],
  );
  return (
    <BigTable
      label="Connections" columns={columns} total={total} onVisible={onVisible} height_px={height_px} testId="connections-table"
      rowProps={(row) => ({ "data-cid": rowAt(row)?.cid })}
      cells={(row) => {
        const connection = rowAt(row);
        return connection === undefined ? null : connectionCells(connection, { ...context, nameOf });
      }}
    />
  );
}

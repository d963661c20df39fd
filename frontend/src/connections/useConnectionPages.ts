/** Connections page by page, each asked for when it is scrolled to. */
import { usePagedRows, type PagedRows } from "../api/pagedRows";
import type { ConnectionsFilter } from "../api/queries";
import type { Connection, ConnectionPage } from "../api/types";

export function useConnectionPages(filter: ConnectionsFilter): PagedRows<Connection, ConnectionPage> {
  return usePagedRows<Connection, ConnectionPage>("/connections", { ...filter });
}

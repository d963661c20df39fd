/** `/i/:id/connections`: one row per logical connection, joined over capture points and translation. */
import { useMemo } from "react";

import type { ConnectionsFilter } from "../api/queries";
import { useReport } from "../api/queries";
import { useSource } from "../api/source";
import type { SortKey } from "../connections/ConnectionRows";
import { ConnectionFilters } from "../connections/ConnectionFilters";
import { ConnectionTable } from "../connections/ConnectionTable";
import { NoConnections } from "../connections/NoConnections";
import { useConnectionPages } from "../connections/useConnectionPages";
import { lettersOf } from "../format/findingLetters";
import { plural } from "../format/quantity";
import { ExportRows } from "../lists/ExportRows";
import { Region } from "../ui/Region";
import { useAddress, useSetParameters } from "../ui/RouteLink";

const SORTS: SortKey[] = ["start", "connect_ms", "tries", "bytes", "network_ratio", "receiver_window_ratio"];

/** What the address asks for; an order nobody knows counts as none. The slowest come first. */
export function filterOf(parameters: Record<string, string>): ConnectionsFilter & { sort: SortKey; order: "asc" | "desc" } {
  const sort = SORTS.find((key) => key === parameters["sort"]) ?? "connect_ms";
  const order = parameters["order"] === "asc" ? "asc" : parameters["order"] === "desc" || sort !== "start" ? "desc" : "asc";
  const finding = (parameters["sel"] ?? "").split("~")[0] || null;
  const w = /^(-?\d{1,16})~(\d{1,16})$/.exec(parameters["w"] ?? "");
  const from = w === null ? null : Number(w[1]);
  return { sort, order, outcome: parameters["outcome"] ?? null, finding, q: parameters["q"] ?? null, from, to: w === null || from === null ? null : from + Number(w[2]) };
}

export function ConnectionsPage() {
  const source = useSource();
  const report = useReport();
  const { parameters } = useAddress();
  const setParameters = useSetParameters();
  const filter = useMemo(() => filterOf(parameters), [parameters]);
  const pages = useConnectionPages(filter);
  const findings = useMemo(() => report.data?.findings ?? [], [report.data]);
  const context = useMemo(
    () => ({ page: source.page, lanes: report.data?.lanes ?? [], letters: lettersOf(findings) }), [findings, report.data, source.page],
  );
  function sortBy(sort: SortKey) {
    const order = sort === filter.sort && filter.order === "desc" ? "asc" : "desc";
    setParameters({ sort, order }, "push");
  }
  const { total } = pages;
  return (
    <>
      <h1>Connections</h1>
      <ConnectionFilters filter={filter} outcomes={pages.first.data?.outcomes ?? []} findings={findings} letters={context.letters} change={(changes) => setParameters(changes, "push")} />
      <Region label="Connections" query={pages.first}>
        {() => (
          <>
            <p className="dim" data-testid="connections-total" data-total={total}>
              {total > 0 && plural(total, "connection")} <ExportRows what="connections" one="connection" path="/connections" asked={{ ...filter }} total={total} />
            </p>
            {total === 0 && <NoConnections filter={filter} change={(changes) => setParameters(changes, "push")} />}
            <ConnectionTable
              total={total} rowAt={pages.rowAt} onVisible={pages.onVisible} context={context} sort={filter.sort} order={filter.order} onSort={sortBy}
            />
          </>
        )}
      </Region>
    </>
  );
}

/** The connections that lived in a window of the timeline. */
import { useMemo } from "react";

import { useReport } from "../api/queries";
import { useSource } from "../api/source";
import { plural } from "../format/quantity";
import { Region } from "../ui/Region";
import { ConnectionTable } from "./ConnectionTable";
import { lettersOf } from "../format/findingLetters";
import { useConnectionPages } from "./useConnectionPages";

interface ConnectionsInWindowProps {
  fromNs: number;
  toNs: number;
  finding: string | null;
  filter: string;
}

export function ConnectionsInWindow({ fromNs, toNs, finding, filter }: ConnectionsInWindowProps) {
  const source = useSource();
  const report = useReport();
  const pages = useConnectionPages({ from: fromNs, to: toNs, finding, q: filter || null, sort: "start", order: "asc" });
  const context = useMemo(
    () => ({ page: source.page, lanes: report.data?.lanes ?? [], letters: lettersOf(report.data?.findings ?? []) }),
    [report.data, source.page],
  );
  return (
    <Region label="Connections" query={pages.first}>
      {({ total }) => (
        <>
          <p className="dim" data-testid="connections-in-window" data-total={total}>
            {plural(total, "connection")} in this window{finding === null ? "" : " with the selected finding"}
          </p>
          <ConnectionTable total={total} rowAt={pages.rowAt} onVisible={pages.onVisible} context={context} sort="start" order="asc" height_px={360} />
        </>
      )}
    </Region>
  );
}

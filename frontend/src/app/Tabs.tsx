/** One row of tabs with counts. A tab with nothing behind it is dimmed and says why. */
import { useConnections, useFiles, useReport } from "../api/queries";
import { useTotal } from "../api/roundTrips";
import { shows, useSource } from "../api/source";
import type { Report } from "../api/types";
import { count } from "../format/quantity";
import { RouteLink, useAddress } from "../ui/RouteLink";

interface Tab {
  path: string;
  name: string;
  count?: number;
  /** Why there is nothing to see, or nothing while there is or may be. */
  empty?: string;
}

const NO_CAPTURE = "No capture was given.";

/** Nothing is called empty before its number is known. */
const emptyWhen = (number: number | undefined, why: string): string | undefined => (number === 0 ? why : undefined);

const packetsOf = (report: Report | null | undefined): number | undefined =>
  report?.inputs.reduce((sum, input) => sum + input.packets, 0);

function useTabs(): Tab[] {
  const source = useSource();
  const report = useReport().data;
  const connections = useConnections({ limit: 1 }, shows(source, "/connections")).data?.total;
  const trips = useTotal("/rtt");
  const requests = useTotal("/requests");
  const files = useFiles().data?.length;
  const dumps = report?.inputs.filter((input) => input.kind === "dump").length;
  const packets = packetsOf(report);
  const inView = source.pages !== null && shows(source, "/packets");
  const found = report?.findings_total;
  const tabs: Tab[] = [
    { path: "", name: "Overview" },
    { path: "/timeline", name: "Timeline", empty: emptyWhen(packets, NO_CAPTURE) },
    { path: "/findings", name: "Findings", count: found, empty: emptyWhen(found, "Nothing was found; here are the detection rules that were checked.") },
    { path: "/connections", name: "Connections", count: connections, empty: emptyWhen(connections, packets ? "No TCP or UDP was captured." : NO_CAPTURE) },
    { path: "/rtt", name: "RTT", count: trips, empty: emptyWhen(trips, packets === 0 ? NO_CAPTURE : "No packet was captured together with its response.") },
    { path: "/requests", name: "Requests", count: requests, empty: emptyWhen(requests, packets ? "No clear-text HTTP was captured, and no requests could be inferred." : NO_CAPTURE) },
    { path: "/state", name: "Kernel state", count: dumps, empty: emptyWhen(dumps, "No kernel dump was given.") },
    { path: "/packets", name: "Packets", count: inView ? undefined : packets, empty: emptyWhen(packets, NO_CAPTURE) },
  ];
  const last: Tab = { path: "/report", name: "Report", empty: report === null ? "Available when the analysis is finished." : undefined };
  const own: Tab[] = source.readOnly ? [] : [{ path: "/files", name: "Files", count: files }];
  return [...tabs, ...own, last].filter((tab) => shows(source, tab.path));
}

export function Tabs() {
  const source = useSource();
  const { path } = useAddress();
  const place = path.slice(source.page.length).replace(/\/$/, "");
  return (
    <nav className="tabs" aria-label="Investigation">
      {useTabs().map((tab) => {
        const current = tab.path === "" ? place === "" : place.startsWith(tab.path);
        return (
          <RouteLink
            key={tab.name} href={source.page + tab.path} aria-current={current ? "page" : undefined} title={tab.empty}
            aria-description={tab.empty} className={tab.empty ? "tab-empty" : undefined} data-why={tab.empty}
          >
            {tab.name}{" "}
            {tab.count !== undefined && <span className="tab-count">{count(tab.count)}</span>}
          </RouteLink>
        );
      })}
    </nav>
  );
}

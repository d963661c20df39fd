/** One row of tabs with counts. */
import { useConnections, useFiles, useReport } from "../api/queries";
import { useSource } from "../api/source";
import { count } from "../format/quantity";
import { RouteLink, useAddress } from "../ui/RouteLink";

interface Tab {
  path: string;
  name: string;
  count?: number;
}

function useTabs(): Tab[] {
  const source = useSource();
  const report = useReport().data;
  const connections = useConnections({ limit: 1 }).data?.total;
  const files = useFiles().data?.length;
  const tabs: Tab[] = [
    { path: "", name: "Overview", count: report?.diagnoses.length || undefined },
    { path: "/timeline", name: "Timeline" },
    { path: "/connections", name: "Connections", count: connections },
  ];
  return source.readOnly ? tabs : [...tabs, { path: "/files", name: "Files", count: files }];
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
          <RouteLink key={tab.name} href={source.page + tab.path} aria-current={current ? "page" : undefined}>
            {tab.name}
            {tab.count !== undefined && <span className="tab-count">{count(tab.count)}</span>}
          </RouteLink>
        );
      })}
    </nav>
  );
}

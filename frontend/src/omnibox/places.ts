/** Pages of an investigation and the key that, after G, leads there. */
export interface Place {
  key: string;
  path: string;
  name: string;
}

export const PLACES: readonly Place[] = [
  { key: "o", path: "", name: "Overview" },
  { key: "t", path: "/timeline", name: "Timeline" },
  { key: "i", path: "/findings", name: "Findings" },
  { key: "c", path: "/connections", name: "Connections" },
  { key: "r", path: "/rtt", name: "RTT" },
  { key: "q", path: "/requests", name: "Requests" },
  { key: "k", path: "/state", name: "Kernel state" },
  { key: "p", path: "/packets", name: "Packets" },
  { key: "f", path: "/files", name: "Files" },
  { key: "e", path: "/report", name: "Report" },
];

/** Where the tabs on the page lead: a share may have few of them. */
export function tabHrefs(): string[] {
  return [...document.querySelectorAll("nav.tabs a")].map((link) => link.getAttribute("href") ?? "");
}

/** The places of the investigation at `page` that have a tab. */
export const placesAmong = (page: string, hrefs: readonly string[]): Place[] => PLACES.filter((place) => hrefs.includes(page + place.path));

/** False for what lies in a part of the investigation that has no tab. */
export function isAmong(href: string, page: string, hrefs: readonly string[]): boolean {
  if (!href.startsWith(`${page}/`)) return true;
  const part = href.slice(page.length).split(/[?/#]/)[1] ?? "";
  return hrefs.includes(`${page}/${part}`);
}

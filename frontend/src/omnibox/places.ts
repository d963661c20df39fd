/** Pages of an investigation and the key that, after G, leads there. */
export interface Place {
  key: string;
  path: string;
  name: string;
  /** Not part of a share. */
  ownOnly?: boolean;
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
  { key: "f", path: "/files", name: "Files", ownOnly: true },
  { key: "e", path: "/report", name: "Report" },
];

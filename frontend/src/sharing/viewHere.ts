/** What of the page that is open a link can show, and the address that the link opens. */
import type { ShareView, ShareOptions } from "../api/types";
import { offset } from "../format/offset";
import { duration } from "../format/quantity";
import { readView } from "../timeline/urlState";
import { windowEnd } from "../timeline/timeWindow";

export type Scope = "view" | "finding" | "all";

/** Where the dialog was opened. */
export interface Here {
  /** Finding that is looked at or selected; empty for none. */
  finding: string;
  /** Null where nothing is narrowed that a link could be narrowed to. */
  view: ShareView | null;
  /** Its parts in words. */
  words: string[];
}

const WITH_WINDOW = ["/timeline", "/packets", "/connections", "/rtt", "/requests"];

/** `place` is the page below the investigation's, as `/timeline`. */
export function viewHere(place: string, parameters: Record<string, string>): Here {
  const state = readView(parameters);
  const finding = /^\/findings\/([^/]+)$/.exec(place)?.[1] ?? state.selection?.finding ?? "";
  const page = WITH_WINDOW.find((each) => place === each);
  if (page === undefined) return { finding, view: null, words: [] };
  const lanes = page === "/timeline" ? state.lanes : [];
  // Elsewhere the text is looked for in what is listed there, which is no filter of packets.
  const filter = page === "/packets" ? state.filter.trim() : "";
  if (state.window === null && !lanes.length && !filter) return { finding, view: null, words: [] };
  const words = [
    ...(state.window ? [`${offset(state.window.fromNs, 6)}, ${duration(state.window.durationNs / 1e9)} long`] : ["all time"]),
    ...(filter ? [`filter ${filter}`] : []),
    ...(lanes.length ? [lanes.length === 1 ? "1 lane" : `${lanes.length} lanes`] : []),
  ];
  const [from, to] = state.window ? [state.window.fromNs, windowEnd(state.window)] : [null, null];
  return { finding, view: { from, to, filter, lanes }, words };
}

/** Parameters that hold times, letters and choices of ours; others may hold an address, a name or a file. */
const HARMLESS = ["w", "sel", "lens", "r", "tab", "t", "sort", "order"];
const OF_A_FINDING = /^\/(timeline|findings|connections)(\/|$)/;

/** Page and parameters for the link's address, as it may be told to those who only see the address. */
export function placeToOpen(place: string, search: string, options: Pick<ShareOptions, "addresses" | "payload" | "finding" | "view">): string {
  if (options.finding && !options.view && !OF_A_FINDING.test(place)) return "";
  const parameters = new URLSearchParams(search);
  if (options.addresses === "names" || options.payload === "removed")
    for (const name of [...parameters.keys()]) if (!HARMLESS.includes(name)) parameters.delete(name);
  const kept = parameters.toString().replaceAll("%7E", "~");
  return place + (kept ? `?${kept}` : "");
}

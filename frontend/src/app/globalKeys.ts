/** What a key does on every page. Pure: the page is told, nothing is done here. */
import { placesAmong } from "../omnibox/places";

export type KeyCommand =
  | { do: "omnibox" } | { do: "keys" } | { do: "filter" } | { do: "link" } | { do: "step"; rel: "prev" | "next" }
  | { do: "wait" } | { do: "go"; path: string } | { do: "nothing" };

export interface Pressed {
  key: string;
  ctrl: boolean;
  alt: boolean;
  /** Typed into a field. */
  writing: boolean;
  /** A dialog is open: its own keys hold. */
  covered: boolean;
}

/** Where one's own pages and those of a share begin; null outside an investigation. */
export function investigationOf(path: string): { page: string } | null {
  const match = /^\/[is]\/[^/]+/.exec(path);
  return match ? { page: match[0] } : null;
}

/** Null: the key is not ours. `waiting`: G was pressed just before. `tabs`: where the tabs lead. */
export function commandOf(pressed: Pressed, path: string, waiting: boolean, singleKeys: boolean, tabs: readonly string[]): KeyCommand | null {
  if (pressed.ctrl && !pressed.alt && pressed.key.toLowerCase() === "k") return { do: "omnibox" };
  if (pressed.ctrl || pressed.alt || pressed.writing || pressed.covered || !singleKeys) return null;
  const around = investigationOf(path);
  if (waiting) {
    const place = around && placesAmong(around.page, tabs).find((each) => each.key === pressed.key.toLowerCase());
    return place && around ? { do: "go", path: around.page + place.path } : { do: "nothing" };
  }
  if (pressed.key === "?") return { do: "keys" };
  if (pressed.key === "/") return { do: "filter" };
  if (pressed.key === "g" && around) return { do: "wait" };
  if (path.endsWith("/timeline")) return null;
  if (pressed.key === "y") return { do: "link" };
  // There the brackets walk the groups of the chart.
  if (path.endsWith("/rtt")) return null;
  if (pressed.key === "[" || pressed.key === "]") return { do: "step", rel: pressed.key === "[" ? "prev" : "next" };
  return null;
}

/** What can be run from the omnibox. */
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";

import { ask } from "../api/http";
import { askAgain } from "../api/refetch";
import type { Source } from "../api/source";
import type { Investigation } from "../api/types";
import { changeSettings, useSettings } from "../settings/settings";
import { THEME_WORDS, useTheme, type Theme } from "../theme/useTheme";
import { showOverlay } from "../ui/overlays";
import { placesAmong, tabHrefs } from "./places";
import type { Command } from "./suggestions";

const EVERYWHERE: Command[] = [
  { title: "Investigations", hint: "all of them", href: "/" },
  { title: "New investigation", hint: "drop, paste or the demo", href: "/new" },
  { title: "What to capture", hint: "commands for a node", href: "/capture" },
  { title: "Detection rules", hint: "rules and thresholds", href: "/detectors" },
  { title: "Settings", hint: "theme, density, time zone, keys", href: "/settings" },
];

export function useCommands(source: Source | null): Command[] {
  const queries = useQueryClient();
  const { explain } = useSettings();
  const { setTheme } = useTheme();
  const mayChange = source !== null && (queries.getQueryData<Investigation>([source.key, "investigation"])?.may.includes("change") ?? false);
  return useMemo(() => {
    const places = source === null ? [] : placesAmong(source.page, tabHrefs()).map((place): Command => ({
      title: place.name, hint: place.key ? `g ${place.key}` : "", href: source.page + place.path,
    }));
    const again: Command = {
      title: "Re-run analysis", hint: "with the current rules",
      run: () => void ask(`${source?.api}/analyses?anew=true`, { method: "POST" }).then(() => askAgain(queries, { queryKey: [source?.key] })),
    };
    const switches: Command[] = [
      { title: explain ? "Explain mode off" : "Explain mode on", hint: "plain words under everything", run: () => changeSettings({ explain: !explain }) },
      { title: "Keys", hint: "?", run: () => showOverlay("keys") },
      { title: "Copy link to this view", hint: "Y", run: () => void navigator.clipboard.writeText(window.location.href) },
      ...(Object.keys(THEME_WORDS) as Theme[]).map((theme): Command => ({ title: `Theme: ${THEME_WORDS[theme]}`, hint: "", run: () => setTheme(theme) })),
    ];
    // A share link shows nothing but what was shared.
    if (source?.readOnly) return [...places, ...switches];
    return [...places, ...(mayChange ? [again] : []), ...EVERYWHERE, ...switches];
  }, [explain, mayChange, queries, setTheme, source]);
}

/** What a reader chose for this browser. Kept here alone: nothing of it goes to the server or into a link. */
import { useSyncExternalStore } from "react";

import { showZone, type Zone } from "../format/zone";

export interface Settings {
  /** Black, white and stronger lines, in the light or dark of the system. */
  highContrast: boolean;
  density: "compact" | "comfortable";
  zone: Zone;
  /** Keys without Ctrl or Alt (WCAG 2.1.4: they can be turned off). */
  singleKeys: boolean;
  /** An explanation in plain words under claims, lanes and columns. */
  explain: boolean;
  /** Names of pods, services and nodes beside their addresses. */
  names: boolean;
  /** The tour of a finding is offered, until it was taken or dismissed. */
  tour: boolean;
}

const STORED = "stallscope-settings";
const DEFAULTS: Settings = { highContrast: false, density: "compact", zone: "utc", singleKeys: true, explain: false, names: true, tour: true };

/** What was stored, as far as it is understood; a browser that keeps nothing gets the defaults. */
export function readSettings(text: string | null): Settings {
  let stored: Partial<Record<keyof Settings, unknown>> = {};
  try {
    const parsed: unknown = JSON.parse(text ?? "{}");
    if (parsed !== null && typeof parsed === "object") stored = parsed;
  } catch {
    // Not ours, or cut off: as if nothing had been stored.
  }
  const yes = (name: "highContrast" | "singleKeys" | "explain" | "names" | "tour") => {
    const value = stored[name];
    return typeof value === "boolean" ? value : DEFAULTS[name];
  };
  return {
    highContrast: yes("highContrast"), singleKeys: yes("singleKeys"), explain: yes("explain"), names: yes("names"), tour: yes("tour"),
    density: stored.density === "comfortable" ? "comfortable" : "compact",
    zone: stored.zone === "local" ? "local" : "utc",
  };
}

function load(): Settings {
  try {
    return readSettings(window.localStorage.getItem(STORED));
  } catch {
    return DEFAULTS;
  }
}

let current = load();
const listeners = new Set<() => void>();

function apply(): void {
  const root = document.documentElement;
  root.toggleAttribute("data-high-contrast", current.highContrast);
  root.setAttribute("data-density", current.density);
  showZone(current.zone);
  listeners.forEach((tell) => tell());
}

apply();
window.addEventListener("storage", (event) => {
  if (event.key !== STORED) return;
  current = readSettings(event.newValue);
  apply();
});

export function settingsNow(): Settings {
  return current;
}

export function changeSettings(changes: Partial<Settings>): void {
  current = { ...current, ...changes };
  try {
    window.localStorage.setItem(STORED, JSON.stringify(current));
  } catch {
    // It holds until the page is left.
  }
  apply();
}

/** For people who came by a link and have chosen nothing yet; not stored, so that it stays their choice. */
export function explainUnlessChosen(): void {
  try {
    if (window.localStorage.getItem(STORED) !== null) return;
  } catch {
    // Nothing is kept here, so nothing was chosen.
  }
  current = { ...current, explain: true };
  apply();
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

export function useSettings(): Settings {
  return useSyncExternalStore(subscribe, settingsNow);
}

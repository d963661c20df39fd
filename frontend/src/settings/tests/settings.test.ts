import { afterEach, expect, test } from "vitest";

import { wallClock } from "../../format/instant";
import { changeSettings, explainUnlessChosen, readSettings, settingsNow } from "../settings";

const DEFAULTS = { highContrast: false, density: "compact", zone: "utc", singleKeys: true, explain: false, names: true, tour: true } as const;

afterEach(() => changeSettings(DEFAULTS));

test("nothing stored, or rubbish, gives the defaults", () => {
  for (const text of [null, "", "{", "7", "null", '{"zone":"mars","singleKeys":"no"}']) expect(readSettings(text)).toEqual(DEFAULTS);
});

test("what was stored comes back", () => {
  changeSettings({ density: "comfortable", singleKeys: false, highContrast: true });
  expect(readSettings(window.localStorage.getItem("stallscope-settings"))).toEqual(settingsNow());
  expect(document.documentElement.hasAttribute("data-high-contrast")).toBe(true);
  expect(document.documentElement.getAttribute("data-density")).toBe("comfortable");
});

test("what another tab stored holds here too", () => {
  window.dispatchEvent(new StorageEvent("storage", { key: "stallscope-settings", newValue: '{"explain":true}' }));
  expect(settingsNow().explain).toBe(true);
});

test("who came by a link gets plain words, unless there was a choice; it is not stored", () => {
  changeSettings({ explain: false });
  explainUnlessChosen();
  expect(settingsNow().explain).toBe(false);
  window.localStorage.removeItem("stallscope-settings");
  explainUnlessChosen();
  expect(settingsNow().explain).toBe(true);
  expect(window.localStorage.getItem("stallscope-settings")).toBeNull();
});

test("the zone decides how clock times are written", () => {
  const before = wallClock("0", 0, 0);
  changeSettings({ zone: "local" });
  const shift = -new Date(0).getTimezoneOffset();
  expect(wallClock("0", 0, 0) === before).toBe(shift % 1440 === 0);
});

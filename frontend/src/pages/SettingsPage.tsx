/** `/settings`: what the reader of this browser prefers. */
import { useId, type ReactNode } from "react";

import { AuditPanel } from "../access/AuditPanel";
import { MembersPanel } from "../access/MembersPanel";
import { PasswordPanel } from "../access/PasswordPanel";
import { WorkersPanel } from "../access/WorkersPanel";
import { DiagnosticsPanel } from "../diagnostics/DiagnosticsPanel";
import { zoneWord } from "../format/zone";
import { changeSettings, useSettings } from "../settings/settings";
import { THEME_WORDS, useTheme, type Theme } from "../theme/useTheme";
import { showOverlay } from "../ui/overlays";
import { RouteLink } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";
import "./settings.css";

export function SettingsPage() {
  useTitle("Settings");
  const settings = useSettings();
  const { theme, setTheme } = useTheme();
  return (
    <main id="main" className="page" tabIndex={-1}>
      <h1>Settings</h1>
      <p className="dim">Stored in this browser only, not part of links.</p>
      <div className="card settings">
        <Choice
          name="Theme" why="High contrast is black on white or white on black, as the system is light or dark." value={theme}
          options={(Object.entries(THEME_WORDS) as [Theme, string][])} choose={setTheme}
        />
        <Choice
          name="Density" why="Height of rows in tables." value={settings.density} options={[["compact", "Compact"], ["comfortable", "Comfortable"]]}
          choose={(density) => changeSettings({ density })}
        />
        <Choice
          name="Time zone" why={`Time zone of clock times; now: ${zoneWord()}. Links and downloads keep UTC.`} value={settings.zone}
          options={[["utc", "UTC"], ["local", "This machine"]]} choose={(zone) => changeSettings({ zone })}
        />
        <Switch name="Single keys" why="W, S, T, ? and the others without Ctrl. Ctrl K stays on." on={settings.singleKeys} set={(singleKeys) => changeSettings({ singleKeys })} />
        <Switch name="Explain mode" why="An explanation in plain words under claims, lanes and columns." on={settings.explain} set={(explain) => changeSettings({ explain })} />
        <Switch name="Tour" why="Offer a tour of the finding on the Overview." on={settings.tour} set={(tour) => changeSettings({ tour })} />
        <Switch name="Names of addresses" why="Pods, services and nodes beside their addresses, where a dump or the capture names them." on={settings.names} set={(names) => changeSettings({ names })} />
      </div>
      <p><button type="button" className="plain-button" onClick={() => showOverlay("keys")}>Show all keys</button></p>
      <p>API tokens are on the page <RouteLink href="/ci">CI and tokens</RouteLink>.</p>
      <PasswordPanel />
      <MembersPanel />
      <WorkersPanel />
      <DiagnosticsPanel />
      <AuditPanel />
    </main>
  );
}

interface ChoiceProps<Value extends string> {
  name: string;
  why: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  choose: (value: Value) => void;
}

function Choice<Value extends string>({ name, why, value, options, choose }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <fieldset className="settings-row" aria-describedby={id}>
      <Name name={<legend>{name}</legend>} why={why} id={id} />
      <div className="settings-options">
        {options.map(([option, words]) => (
          <label key={option}>
            <input type="radio" name={name} value={option} checked={option === value} onChange={() => choose(option)} /> {words}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SwitchProps {
  name: string;
  why: string;
  on: boolean;
  set: (on: boolean) => void;
}

function Switch({ name, why, on, set }: SwitchProps) {
  const id = useId();
  return (
    <div className="settings-row">
      <Name name={<strong>{name}</strong>} why={why} id={id} />
      <label className="settings-options">
        <input type="checkbox" role="switch" aria-label={name} aria-describedby={id} checked={on} onChange={(event) => set(event.target.checked)} /> {on ? "on" : "off"}
      </label>
    </div>
  );
}

function Name({ name, why, id }: { name: ReactNode; why: string; id: string }) {
  return (
    <div>
      {name}
      <p id={id} className="dim">{why}</p>
    </div>
  );
}

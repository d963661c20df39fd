/** Explain mode: plain words under claims, lanes and columns. */
import { changeSettings, useSettings } from "../settings/settings";

export function ExplainSwitch() {
  const { explain } = useSettings();
  return (
    <button
      type="button" className="plain-button explain-switch" aria-pressed={explain} data-testid="explain-switch"
      title="An explanation in plain words under claims, lanes and columns" onClick={() => changeSettings({ explain: !explain })}
    >
      Explain
    </button>
  );
}

/** All keys in a dialog: `?` or the button of the timeline opens it. */
import { PLACES } from "../omnibox/places";
import { useSettings } from "../settings/settings";
import { RTT_KEYS } from "../rtt/keyWords";
import { KEY_WORDS } from "../timeline/keyWords";
import { Dialog } from "../ui/Dialog";
import { showOverlay, useOverlay } from "../ui/overlays";
import { RouteLink } from "../ui/RouteLink";

const EVERYWHERE: [string, string][] = [
  ["Ctrl K", "search, go, run: an address, a frame, a time, a finding's letter"], ["?", "these keys"], ["/", "filter of the page"],
  ["Y", "copy the link to this view"], ["[ ]", "previous, next instance"], ["Esc", "close what is open"],
];
const TABLES: [string, string][] = [
  ["↑ ↓", "row by row"], ["Page Up, Page Down", "screen by screen"], ["Home, End", "first, last row"],
];

export function KeyHelp() {
  const overlay = useOverlay();
  const { singleKeys } = useSettings();
  if (overlay?.name !== "keys") return null;
  return (
    <Dialog title="Keys" onClose={() => showOverlay(null)}>
      <div data-testid="key-help">
        <p className="dim">
          {singleKeys ? "Keys without Ctrl can be turned off in the " : "Keys without Ctrl are off; only Ctrl K and keys inside a focused part work. "}
          <RouteLink href="/settings" onClick={() => showOverlay(null)}>settings</RouteLink>.
        </p>
        <Keys title="Everywhere" keys={EVERYWHERE} />
        <Keys title="In an investigation" keys={PLACES.map((place) => [`G ${place.key.toUpperCase()}`, place.name])} />
        <Keys title="Timeline" keys={KEY_WORDS} />
        <Keys title="Round trips" keys={RTT_KEYS} />
        <Keys title="Tables, once they have the focus" keys={TABLES} />
      </div>
    </Dialog>
  );
}

function Keys({ title, keys }: { title: string; keys: readonly (readonly [string, string])[] }) {
  return (
    <>
      <h3>{title}</h3>
      <dl className="key-list">
        {keys.map(([key, words]) => (
          <div key={key}>
            <dt><kbd>{key}</kbd></dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Keys of every page: Ctrl K always, the others unless they were turned off. */
import { useEffect, useRef, useState } from "react";

import { placesAmong, tabHrefs } from "../omnibox/places";
import { settingsNow } from "../settings/settings";
import { showOverlay } from "../ui/overlays";
import { useAddress, useGo } from "../ui/RouteLink";
import { commandOf, investigationOf, type KeyCommand } from "./globalKeys";

const WRITING = "input, textarea, select, [contenteditable='true']";
/** How long G waits for the letter of a page. */
const WAIT_MS = 1500;
const SAID_MS = 2500;

/** The filter of the page, or the omnibox where a page has none. */
function focusFilter(): void {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  if (field) field.focus();
  else showOverlay("omnibox", "/ ");
}

const isWriting = (target: EventTarget | null): boolean => target instanceof Element && target.closest(WRITING) !== null;

export function GlobalKeys() {
  const { path } = useAddress();
  const go = useGo();
  const [waiting, setWaiting] = useState(false);
  const [said, setSaid] = useState("");
  const state = useRef({ path, waiting });
  useEffect(() => {
    state.current = { path, waiting };
  });
  useEffect(() => {
    if (!waiting) return undefined;
    const timer = window.setTimeout(() => setWaiting(false), WAIT_MS);
    return () => window.clearTimeout(timer);
  }, [waiting]);
  useEffect(() => {
    if (!said) return undefined;
    const timer = window.setTimeout(() => setSaid(""), SAID_MS);
    return () => window.clearTimeout(timer);
  }, [said]);

  useEffect(() => {
    function act(command: KeyCommand) {
      if (command.do === "omnibox") showOverlay("omnibox");
      else if (command.do === "keys") showOverlay("keys");
      else if (command.do === "filter") focusFilter();
      else if (command.do === "go") go(command.path);
      else if (command.do === "step") document.querySelector<HTMLAnchorElement>(`main a[rel=${command.rel}]`)?.click();
      else if (command.do === "link") void navigator.clipboard.writeText(window.location.href).then(() => setSaid("Link copied"));
    }
    function press(event: KeyboardEvent) {
      if (event.key === "Shift") return;
      const pressed = {
        key: event.key, ctrl: event.ctrlKey || event.metaKey, alt: event.altKey, writing: isWriting(event.target),
        covered: document.querySelector("dialog[open]") !== null,
      };
      const now = state.current;
      const command = commandOf(pressed, now.path, now.waiting, settingsNow().singleKeys, tabHrefs());
      if (now.waiting) setWaiting(false);
      if (command === null) return;
      event.preventDefault();
      event.stopPropagation();
      // Kept here too: the next key may come before the page was drawn again.
      state.current.waiting = command.do === "wait";
      setWaiting(command.do === "wait");
      act(command);
    }
    // Before the page's own keys, so that G T is not read as T.
    window.addEventListener("keydown", press, true);
    return () => window.removeEventListener("keydown", press, true);
  }, [go]);

  return (
    <div className="key-hint" role="status" data-testid="key-hint">
      {waiting ? <Places path={path} /> : said}
    </div>
  );
}

function Places({ path }: { path: string }) {
  const page = investigationOf(path)?.page ?? "";
  return (
    <>
      Go to{" "}
      {placesAmong(page, tabHrefs()).map((place) => (
        <span key={place.key}><kbd>{place.key}</kbd> {place.name}</span>
      ))}
    </>
  );
}

/** Ctrl+V outside a field opens the paste sheet with the text. */
import { useEffect, useState } from "react";

import { useAddress } from "../ui/RouteLink";
import { PasteSheet } from "./PasteSheet";

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;
}

export function PasteAnywhere() {
  const { path } = useAddress();
  const [text, setText] = useState<string | null>(null);
  const readOnly = path.startsWith("/s/");
  useEffect(() => {
    if (readOnly) return undefined;
    function paste(event: ClipboardEvent) {
      const pasted = event.clipboardData?.getData("text/plain") ?? "";
      if (isField(event.target) || !pasted.includes("\n")) return;
      event.preventDefault();
      setText(pasted);
    }
    window.addEventListener("paste", paste);
    return () => window.removeEventListener("paste", paste);
  }, [readOnly]);
  if (text === null) return null;
  return <PasteSheet text={text} onClose={() => setText(null)} />;
}

/** Copies a text and says so. */
import { createContext, useContext, useEffect, useState } from "react";

const SAID_MS = 1600;

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = window.setTimeout(() => setCopied(false), SAID_MS);
    return () => window.clearTimeout(timer);
  }, [copied]);
  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  }
  return (
    <button type="button" className="copy-button" onClick={() => void copy()} aria-live="polite">
      {copied ? "Copied" : label}
    </button>
  );
}

/** Whether commands work as they are shown: none does whose addresses are pseudonyms. */
export const CommandsWork = createContext(true);

/** A command to type, with a button to copy it where its names are real. */
export function Command({ text, label }: { text: string; label?: string }) {
  const works = useContext(CommandsWork);
  return (
    <div className="command">
      <pre tabIndex={0} aria-label={label ?? "Command"}>
        {text}
      </pre>
      {works && <CopyButton text={text} />}
    </div>
  );
}

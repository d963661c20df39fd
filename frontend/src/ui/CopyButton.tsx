/** Copies a text and says so. */
import { useEffect, useState } from "react";

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

export function Command({ text, label }: { text: string; label?: string }) {
  return (
    <div className="command">
      <pre tabIndex={0} aria-label={label ?? "Command"}>
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

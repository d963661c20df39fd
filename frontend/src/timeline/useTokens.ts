/** Tokens of the theme in force, read again after the theme attribute has changed. */
import { useLayoutEffect, useState } from "react";

import { readTokens, type Tokens } from "./tokens";

export function useTokens(): Tokens {
  const [tokens, setTokens] = useState(() => readTokens(document.documentElement));
  useLayoutEffect(() => {
    const reread = () => setTokens(readTokens(document.documentElement));
    // The observer runs after the attribute is written, so the new colours are already computed.
    const observer = new MutationObserver(reread);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-mantine-color-scheme", "data-high-contrast"] });
    reread();
    return () => observer.disconnect();
  }, []);
  return tokens;
}

/** Width of an element, kept up to date. */
export function useWidth(element: { current: HTMLElement | null }, takenPx: number): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const host = element.current;
    if (host === null) return undefined;
    const measure = () => setWidth(Math.max(Math.floor(host.clientWidth - takenPx), 320));
    const observer = new ResizeObserver(measure);
    observer.observe(host);
    measure();
    return () => observer.disconnect();
  }, [element, takenPx]);
  return width;
}

/** The tab's icon carries the role of the verdict, so that one of ten tabs is found without reading. */
import { useEffect } from "react";

import type { RoleName } from "./Glyph";

export type Favicon = RoleName | null;

const PLAIN = "/icon.svg";

/** Address of the icon: an open one (`null`) is the product's own. */
export const faviconOf = (role: Favicon): string => (role === null ? PLAIN : `/icon-${role}.svg`);

export function useFavicon(role: Favicon): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!link) return;
    link.setAttribute("href", faviconOf(role));
    return () => link.setAttribute("href", PLAIN);
  }, [role]);
}

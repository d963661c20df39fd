/** A real link that changes page without loading it again; plain `href`, so it can be opened in a new tab. */
import { useLocation, useRouter } from "@tanstack/react-router";
import { useCallback, useMemo, type AnchorHTMLAttributes, type MouseEvent } from "react";

import { parseSearch, stringifySearch } from "../format/searchString";

/** In a shared view the secret lives in the fragment and must survive navigation. */
function keepFragment(href: string): string {
  const inShare = window.location.pathname.startsWith("/s/") && href.startsWith("/s/");
  return inShare && !href.includes("#") ? href + window.location.hash : href;
}

export function useGo(): (href: string, options?: { replace?: boolean }) => void {
  const router = useRouter({ warn: false }) as ReturnType<typeof useRouter> | undefined;
  return useCallback(
    (href, options) => {
      const target = keepFragment(href);
      if (!router) return;
      if (options?.replace) router.history.replace(target);
      else router.history.push(target);
    },
    [router],
  );
}

export function RouteLink({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const go = useGo();
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event);
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !plain) return;
    event.preventDefault();
    go(href);
  }
  return <a {...rest} href={href} onClick={follow} />;
}

/** Path and parameters of the address. */
export function useAddress(): { path: string; parameters: Record<string, string> } {
  const path = useLocation({ select: (location) => location.pathname });
  const search = useLocation({ select: (location) => location.searchStr });
  return useMemo(() => ({ path, parameters: parseSearch(search) }), [path, search]);
}

/** Address of the present page with some parameters changed; null removes one. */
export function useHrefWith(): (changes: Record<string, string | null>) => string {
  const { path, parameters } = useAddress();
  return useCallback((changes) => path + stringifySearch({ ...parameters, ...changes }), [path, parameters]);
}

/** Changes parameters of the address: `replace` for steps nobody wants to walk back through. */
export function useSetParameters(): (changes: Record<string, string | null>, how?: "push" | "replace") => void {
  const go = useGo();
  const router = useRouter({ warn: false }) as ReturnType<typeof useRouter> | undefined;
  return useCallback(
    (changes, how = "replace") => {
      // The router's own location: the browser's lags behind a step that was just taken, and would undo it.
      const { pathname, search } = router?.history.location ?? window.location;
      go(pathname + stringifySearch({ ...parseSearch(search), ...changes }), { replace: how === "replace" });
    },
    [go, router],
  );
}

/** Who the server takes us for, and how one signs in. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";

import { ask } from "../api/http";
import type { components } from "../api/schema";

export type Who = components["schemas"]["WhoAmI"];
export const WHO = ["who"];
export const SIGN_IN = "/api/v1/sign-in";

export function useWho(wanted = true): UseQueryResult<Who> {
  return useQuery({
    queryKey: WHO,
    enabled: wanted,
    staleTime: Infinity,
    queryFn: ({ signal }) => ask<Who>(SIGN_IN, { signal }),
  });
}

/** Pages that ask nobody who they are: a link's, and what is public anyway. */
export function isOpenPage(path: string): boolean {
  return /^\/(s|detectors|capture)(\/|$)/.test(path);
}

export function isStranger(who: Who | undefined): boolean {
  return who !== undefined && who.required && who.kind === "nobody";
}

const REFUSED: Record<string, string> = {
  "not-allowed": "You are known to the identity provider, but nobody has given you a role here. Ask an admin.",
  blocked: "An admin has blocked this member.",
  failed: "The identity provider did not sign you in. Try again.",
  stale: "That took too long, or began in another window. Try again.",
};

/** Sentence for what the way back from the identity provider says in the address; empty for nothing. */
export function refusedWords(code: string | undefined): string {
  return code ? (REFUSED[code] ?? REFUSED.failed ?? "") : "";
}

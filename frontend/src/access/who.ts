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
  "not-allowed": "You have no role in Stallscope. Ask an admin.",
  blocked: "This member is blocked.",
  failed: "The identity provider rejected the sign-in. Try again.",
  stale: "Sign-in timed out, or started in another window. Try again.",
};

/** Sentence for what the way back from the identity provider says in the address; empty for nothing. */
export function refusedWords(code: string | undefined): string {
  return code ? (REFUSED[code] ?? REFUSED.failed ?? "") : "";
}

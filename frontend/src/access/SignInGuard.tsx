/** Shows the sign-in in place of a page that needs one; the address stays, so one lands where one wanted to go. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, type ReactNode } from "react";

import { SIGNED_OUT } from "../api/http";
import { useAddress } from "../ui/RouteLink";
import { SignInPage } from "./SignInPage";
import { isOpenPage, isStranger, useWho, WHO } from "./who";

export function SignInGuard({ children }: { children: ReactNode }) {
  const { path } = useAddress();
  const open = isOpenPage(path);
  const who = useWho(!path.startsWith("/s/"));
  const queries = useQueryClient();
  useEffect(() => {
    const askAgain = () => void queries.invalidateQueries({ queryKey: WHO });
    window.addEventListener(SIGNED_OUT, askAgain);
    return () => window.removeEventListener(SIGNED_OUT, askAgain);
  }, [queries]);
  if (open) return children;
  if (who.isPending) return <main className="page" aria-busy="true" />;
  // A server that does not answer is told by the pages themselves.
  return who.data && isStranger(who.data) ? <SignInPage who={who.data} /> : children;
}

/** Who is signed in, and the way out; nothing where nobody signs in. */
import { useMutation } from "@tanstack/react-query";

import { ask } from "../api/http";
import { SIGN_IN, useWho } from "./who";
import "./access.css";

export function WhoBadge() {
  const who = useWho();
  const signOut = useMutation({
    mutationFn: () => ask(SIGN_IN, { method: "DELETE" }),
    // Loaded anew, so that nothing that was read stays in the page's memory.
    onSuccess: () => window.location.assign("/"),
  });
  if (who.data?.kind !== "member") return null;
  return (
    <span className="who" data-testid="who">
      <span className="who-name" title={`${who.data.name}, ${who.data.role}`}>{who.data.name}</span>
      <button type="button" className="plain-button" disabled={signOut.isPending} onClick={() => signOut.mutate()}>Sign out</button>
    </span>
  );
}

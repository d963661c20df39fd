/** The links of an investigation that still open something. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { ask } from "../api/http";
import { askAgain } from "../api/refetch";
import { useSource } from "../api/source";
import type { Page, Share } from "../api/types";

export function ExistingLinks() {
  const source = useSource();
  const queries = useQueryClient();
  const shares = useQuery({
    queryKey: [source.key, "shares"],
    queryFn: ({ signal }) => ask<Page<Share>>(`${source.api}/shares`, { signal }),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => ask(`${source.api}/shares/${id}`, { method: "DELETE" }),
    onSuccess: () => askAgain(queries, { queryKey: [source.key, "shares"] }),
  });
  const now = new Date().toISOString();
  const active = shares.data?.items.filter((share) => !share.revoked && share.expires > now) ?? [];
  if (!active.length) return null;
  return (
    <section aria-label="Existing links">
      <h3>Active links</h3>
      <ul className="share-list">
        {active.map((share) => (
          <li key={share.id}>
            <span>
              <span className="mono">{share.id}</span> <span className="dim">{wordsOf(share)}</span>
            </span>
            <button type="button" className="link-button" aria-label={`Revoke ${share.id}`} onClick={() => revoke.mutate(share.id)}>
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function wordsOf(share: Share): string {
  const parts = [
    share.view ? "one view" : share.finding ? "one finding" : "all",
    share.shows,
    share.addresses === "names" ? "other names" : "real addresses",
    ...(share.payload === "headers" ? ["HTTP and DNS headers"] : []),
    ...(share.notes ? ["notes"] : []),
    ...(share.has_password ? ["password"] : []),
  ];
  const opened = share.opened === 0 ? "not opened yet" : `opened ${share.opened} ${share.opened === 1 ? "time" : "times"}`;
  const last = share.last_opened ? `, last ${share.last_opened.slice(0, 16).replace("T", " ")} UTC` : "";
  return `${parts.join(", ")} · ${opened}${last} · expires ${share.expires.slice(0, 10)}`;
}

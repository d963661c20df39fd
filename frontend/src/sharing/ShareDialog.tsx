/** Makes a read-only link and lists the ones there are. The secret is shown once. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { ask } from "../api/http";
import { askAgain } from "../api/refetch";
import { useSource } from "../api/source";
import type { Page, Share } from "../api/types";
import { CopyButton } from "../ui/CopyButton";
import { Dialog } from "../ui/Dialog";
import "./sharing.css";

const LIFETIMES_DAYS = [1, 7, 14, 30, 90];
const USUAL_DAYS = 14;

export function ShareDialog({ label, onClose }: { label: string; onClose: () => void }) {
  const source = useSource();
  const queries = useQueryClient();
  const [days, setDays] = useState(USUAL_DAYS);
  const create = useMutation({
    mutationFn: () => ask<Share>(`${source.api}/shares`, { method: "POST", json: { expires_days: days } }),
    onSuccess: () => askAgain(queries, { queryKey: [source.key, "shares"] }),
  });
  return (
    <Dialog title={`Share “${label}”`} onClose={onClose}>
      <p className="dim">
        Whoever has the link sees the whole investigation, read-only, without signing in: verdict, timeline,
        connections, addresses and ports. The original files cannot be downloaded through it.
      </p>
      <div className="share-create">
        <label>
          Expires after{" "}
          <select className="input" value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {LIFETIMES_DAYS.map((lifetime) => (
              <option key={lifetime} value={lifetime}>
                {lifetime} {lifetime === 1 ? "day" : "days"}
              </option>
            ))}
          </select>
        </label>
        <button type="button" className="button button-main" disabled={create.isPending} onClick={() => create.mutate()}>
          Create link
        </button>
      </div>
      {create.error && <p role="alert">The link was not made: {create.error.message}</p>}
      {create.data && <NewLink share={create.data} />}
      <ExistingLinks />
    </Dialog>
  );
}

function NewLink({ share }: { share: Share }) {
  const link = window.location.origin + (share.url_path ?? `/s/${share.id}#k=${share.secret ?? ""}`);
  return (
    <div className="share-link">
      <input className="input mono" readOnly value={link} aria-label="Share link" data-testid="share-link" />
      <CopyButton text={link} />
      <p className="dim">Shown once: the secret after # is not kept here and never sent to a server log.</p>
    </div>
  );
}

function ExistingLinks() {
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
  const active = shares.data?.items.filter((share) => !share.revoked) ?? [];
  if (!active.length) return null;
  return (
    <section aria-label="Links there are">
      <h3>Active links</h3>
      <ul className="share-list">
        {active.map((share) => (
          <li key={share.id}>
            <span className="mono">{share.id}</span>
            <span className="dim">{share.expires ? `expires ${share.expires.slice(0, 10)}` : "does not expire"}</span>
            <button type="button" className="link-button" onClick={() => revoke.mutate(share.id)}>
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

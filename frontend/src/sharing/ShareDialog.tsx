/** Makes a read-only link and lists the ones there are. The secret is shown once. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { ask } from "../api/http";
import { askAgain } from "../api/refetch";
import { useReport } from "../api/queries";
import { useSource } from "../api/source";
import type { Page, Share, ShareWish } from "../api/types";
import { CopyButton } from "../ui/CopyButton";
import { Dialog } from "../ui/Dialog";
import "./sharing.css";

const LIFETIMES_DAYS = [1, 7, 14, 30, 90];
const USUAL: ShareWish = { expires_days: 14, finding: "", addresses: "names", password: "", show_title: false };

export function ShareDialog({ label, onClose }: { label: string; onClose: () => void }) {
  const source = useSource();
  const queries = useQueryClient();
  const [wish, setWish] = useState(USUAL);
  const [here, setHere] = useState(false);
  const create = useMutation({
    mutationFn: () => ask<Share>(`${source.api}/shares`, { method: "POST", json: wish }),
    onSuccess: () => askAgain(queries, { queryKey: [source.key, "shares"] }),
  });
  return (
    <Dialog title={`Share “${label}”`} onClose={onClose}>
      <p className="dim">
        Whoever has the link reads it without signing in. Original files are never handed out through it; ports and times stay,
        for the diagnoses need them.
      </p>
      <form
        className="share-wish"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <WishFields wish={wish} onChange={(change) => setWish((before) => ({ ...before, ...change }))} />
        <label>
          <input type="checkbox" checked={here} onChange={(event) => setHere(event.target.checked)} /> Open it at this page and
          window
        </label>
        <button type="submit" className="button button-main" disabled={create.isPending}>
          Create link
        </button>
      </form>
      {create.error && <p role="alert">The link was not made: {create.error.message}</p>}
      {create.data && <NewLink share={create.data} place={here ? placeToOpen(source.page, wish) : ""} />}
      <ExistingLinks />
    </Dialog>
  );
}

/** Page and window of the present address; a filter may hold an address and stays out of a link with other names. */
function placeToOpen(page: string, wish: ShareWish): string {
  const address = new URL(window.location.href);
  if (wish.addresses === "names") for (const parameter of ["q", "filter", "dump"]) address.searchParams.delete(parameter);
  return address.pathname.slice(page.length) + address.search;
}

function WishFields({ wish, onChange }: { wish: ShareWish; onChange: (change: Partial<ShareWish>) => void }) {
  const findings = useReport().data?.findings ?? [];
  return (
    <>
      <label>
        What{" "}
        <select className="input" value={wish.finding} onChange={(event) => onChange({ finding: event.target.value })}>
          <option value="">the whole investigation</option>
          {findings.map((finding) => (
            <option key={finding.id} value={finding.id}>
              only: {finding.title}
            </option>
          ))}
        </select>
      </label>
      <label>
        Addresses, files, requests{" "}
        <select
          className="input" value={wish.addresses}
          onChange={(event) => onChange({ addresses: event.target.value === "real" ? "real" : "names" })}
        >
          <option value="names">replaced by names (pod-1, server-1), the same everywhere</option>
          <option value="real">as they are</option>
        </select>
      </label>
      <label>
        Expires after{" "}
        <select className="input" value={wish.expires_days} onChange={(event) => onChange({ expires_days: Number(event.target.value) })}>
          {LIFETIMES_DAYS.map((lifetime) => (
            <option key={lifetime} value={lifetime}>
              {lifetime} {lifetime === 1 ? "day" : "days"}
            </option>
          ))}
        </select>
      </label>
      <label>
        Password (optional){" "}
        <input
          className="input" type="password" autoComplete="new-password" maxLength={200} value={wish.password}
          onChange={(event) => onChange({ password: event.target.value })}
        />
      </label>
      <label>
        <input type="checkbox" checked={wish.show_title} onChange={(event) => onChange({ show_title: event.target.checked })} /> Show
        the finding in chat previews
      </label>
    </>
  );
}

function NewLink({ share, place }: { share: Share; place: string }) {
  const link = `${window.location.origin}/s/${share.id}${place}#k=${share.secret ?? ""}`;
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
            <span className="dim">
              {share.finding ? "one finding" : "all"}, {share.addresses === "names" ? "other names" : "real addresses"}
              {share.has_password && ", password"} · opened {share.opened} {share.opened === 1 ? "time" : "times"}
            </span>
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

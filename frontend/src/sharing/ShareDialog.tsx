/** Makes a read-only link and lists the ones there are. The secret is shown once. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { ask } from "../api/http";
import { useInvestigation, useReport } from "../api/queries";
import { askAgain } from "../api/refetch";
import { useSource } from "../api/source";
import type { Share, ShareOptions } from "../api/types";
import { CopyButton } from "../ui/CopyButton";
import { Dialog } from "../ui/Dialog";
import { useAddress } from "../ui/RouteLink";
import { ExistingLinks } from "./ExistingLinks";
import { placeToOpen, viewHere, type Here, type Scope } from "./viewHere";
import { ShareOptionFields } from "./ShareOptionFields";
import "./sharing.css";

const USUAL: ShareOptions = {
  expires_days: 14, finding: "", addresses: "names", payload: "removed", shows: "frozen", notes: false, view: null, password: "", show_title: false,
};

const scopeOf = (here: Here, onFinding: boolean): Scope => (here.view ? "view" : onFinding ? "finding" : "all");

export function ShareDialog({ label, onClose }: { label: string; onClose: () => void }) {
  const source = useSource();
  const queries = useQueryClient();
  const { path, parameters } = useAddress();
  const place = path.slice(source.page.length).replace(/\/$/, "");
  const here = viewHere(place, parameters);
  const first = useReport().data?.findings[0]?.id ?? "";
  const finished = useInvestigation().data?.analysis === "finished";
  const [options, setOptions] = useState(USUAL);
  const [scope, setScope] = useState(() => scopeOf(here, place.startsWith("/findings/") && here.finding !== ""));
  const [atPage, setAtPage] = useState(false);
  const scoped: ShareOptions = {
    ...options,
    shows: finished ? options.shows : "live",
    view: scope === "view" ? here.view : null,
    finding: scope === "all" ? "" : scope === "view" ? here.finding : options.finding || here.finding || first,
  };
  const create = useMutation({
    mutationFn: (asked: ShareOptions) => ask<Share>(`${source.api}/shares`, { method: "POST", json: asked }),
    onSuccess: () => askAgain(queries, { queryKey: [source.key, "shares"] }),
  });
  const below = scope === "view" || atPage ? placeToOpen(place, window.location.search, create.variables ?? scoped) : "";
  return (
    <Dialog title={`Share “${label}”`} onClose={onClose}>
      <p className="dim">
        Anyone with the link can read it without signing in. Ports and times stay: the diagnoses need them. Original files and the contents of
        packets are never handed out through a link.
      </p>
      <form
        className="share-options"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(scoped);
        }}
      >
        <ShareOptionFields
          options={scoped} scope={scope} here={here} onScope={setScope}
          onChange={(change) => setOptions((before) => ({ ...before, ...change }))}
        />
        <div className="share-make">
          {scope !== "view" && (
            <label>
              <input type="checkbox" checked={atPage} onChange={(event) => setAtPage(event.target.checked)} /> Open it at this page and window
            </label>
          )}
          <button type="submit" className="button button-main" disabled={create.isPending}>
            Create link
          </button>
        </div>
      </form>
      {create.error && <p role="alert">The link was not made: {create.error.message}</p>}
      {create.data && <NewLink share={create.data} below={below} />}
      <ExistingLinks />
    </Dialog>
  );
}

function NewLink({ share, below }: { share: Share; below: string }) {
  const link = `${window.location.origin}/s/${share.id}${below}#k=${share.secret ?? ""}`;
  return (
    <div className="share-link">
      <input className="input mono" readOnly value={link} aria-label="Share link" data-testid="share-link" />
      <CopyButton text={link} />
      <p className="dim">
        Shown once: the secret after # is not kept here and never sent to a server log.{" "}
        <a href={link} target="_blank" rel="noreferrer">Preview the shared view</a>
      </p>
    </div>
  );
}

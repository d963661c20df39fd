/** A shared investigation: opened with the secret of the address's fragment, never with a login. */
import { useQuery } from "@tanstack/react-query";
import { Outlet, useParams } from "@tanstack/react-router";
import { useMemo } from "react";

import { ask, Problem } from "../api/http";
import { useInvestigation } from "../api/queries";
import { sharedSource, SourceProvider } from "../api/source";
import { EvidencePanel } from "../findings/EvidencePanel";
import { Omnibox } from "../omnibox/Omnibox";
import { ContextBar } from "./ContextBar";
import { useInvestigationState } from "./investigationState";
import { RegionStateProvider } from "../ui/regionState";
import { Tabs } from "./Tabs";

interface ShareSession {
  token: string;
  expires?: string | null;
}

function useShareSession(sid: string) {
  const secret = new URLSearchParams(window.location.hash.slice(1)).get("k") ?? "";
  return useQuery({
    queryKey: ["share-session", sid, secret],
    staleTime: Infinity,
    retry: false,
    queryFn: () =>
      ask<ShareSession>(`/api/v1/shared/${sid}/session`, { method: "POST", json: { secret } }),
  });
}

export function SharedFrame() {
  const { sid } = useParams({ strict: false }) as { sid: string };
  const session = useShareSession(sid);
  const token = session.data?.token;
  const source = useMemo(() => (token ? sharedSource(sid, token) : null), [sid, token]);
  if (session.error) return <LinkRefused error={session.error} />;
  if (!source || !session.data) return <main className="page" aria-busy="true" />;
  return (
    <SourceProvider value={source}>
      <Inside expires={session.data.expires ?? null} />
    </SourceProvider>
  );
}

function Inside({ expires }: { expires: string | null }) {
  const investigation = useInvestigation();
  const state = useInvestigationState();
  return (
    <>
      <div className="share-banner" role="note" data-testid="share-banner">
        Shared with you: <strong>{investigation.data?.label ?? "…"}</strong> · read-only
        {expires && <> · expires {expires.slice(0, 10)}</>}
      </div>
      <Tabs />
      <ContextBar />
      <main id="main" className="page" tabIndex={-1}>
        <RegionStateProvider value={state}>
          <Outlet />
        </RegionStateProvider>
      </main>
      <EvidencePanel />
      <Omnibox inInvestigation />
    </>
  );
}

function LinkRefused({ error }: { error: Error }) {
  const gone = error instanceof Problem && error.status === 410;
  return (
    <main id="main" className="page" data-testid="share-refused">
      <h1>{gone ? "This link has ended" : "This link does not open anything"}</h1>
      <p>
        {gone
          ? error.message
          : "The link is incomplete or wrong: the part after # belongs to it and may have been cut off."}
      </p>
      <p>Ask the sender for a new link. There is nothing to sign in to.</p>
    </main>
  );
}

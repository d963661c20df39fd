/** A shared investigation: opened with the secret of the address's fragment, never with a login. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useParams } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";

import { ask, Problem } from "../api/http";
import { sharedSource, shows, SourceProvider, useSource } from "../api/source";
import type { ShareSession } from "../api/types";
import { EvidencePanel } from "../findings/EvidencePanel";
import { explainUnlessChosen } from "../settings/settings";
import { Omnibox } from "../omnibox/Omnibox";
import { ShareBanner } from "../sharing/ShareBanner";
import { ContextBar } from "./ContextBar";
import { useInvestigationState } from "./investigationState";
import { CommandsWork } from "../ui/CopyButton";
import { NamesProvider } from "../names/NamesProvider";
import { RegionStateProvider } from "../ui/regionState";
import { useAddress } from "../ui/RouteLink";
import { Tabs } from "./Tabs";

/** A refusal sooner than that is no ended session, and a reload would not help. */
const OPENED_AGAIN_AFTER_MS = 60_000;

function useShareSession(sid: string, password: string) {
  const secret = new URLSearchParams(window.location.hash.slice(1)).get("k") ?? "";
  return useQuery({
    queryKey: ["share-session", sid, secret, password],
    staleTime: Infinity,
    retry: false,
    queryFn: () =>
      ask<ShareSession>(`/api/v1/shared/${sid}/session`, { method: "POST", json: { secret, password: password || null } }),
  });
}

/** A session ends without use; the secret in the address opens the link again. */
function useOpenedAgain(openedAt: number) {
  const client = useQueryClient();
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        const error: unknown = event.type === "updated" && event.action.type === "error" ? event.action.error : null;
        const isOver = error instanceof Problem && error.status === 403 && openedAt > 0;
        if (isOver && Date.now() - openedAt > OPENED_AGAIN_AFTER_MS) window.location.reload();
      }),
    [client, openedAt],
  );
}

export function SharedFrame() {
  const { sid } = useParams({ strict: false }) as { sid: string };
  const [password, setPassword] = useState("");
  const { data, error, dataUpdatedAt } = useShareSession(sid, password);
  useOpenedAgain(dataUpdatedAt);
  const source = useMemo(() => (data ? sharedSource(sid, data) : null), [sid, data]);
  if (error && /password/.test(error.message)) return <AskPassword refused={error.message} wrong={!!password} onGive={setPassword} />;
  if (error) return <LinkRefused error={error} />;
  if (!source || !data) return <main className="page" aria-busy="true" />;
  return (
    <SourceProvider value={source}>
      <CommandsWork value={data.addresses !== "names"}>
        <Inside sid={sid} session={data} />
      </CommandsWork>
    </SourceProvider>
  );
}

function AskPassword({ refused, wrong, onGive }: { refused: string; wrong: boolean; onGive: (password: string) => void }) {
  const [typed, setTyped] = useState("");
  return (
    <main id="main" className="page" data-testid="share-password">
      <h1>{refused}</h1>
      <p>Ask the sender for it. No sign-in is needed.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onGive(typed);
        }}
      >
        <label>
          Password{" "}
          <input className="input" type="password" autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
        </label>{" "}
        <button type="submit" className="button button-main">
          Open
        </button>
        {wrong && <p role="alert">{refused}</p>}
      </form>
    </main>
  );
}

function Inside({ sid, session }: { sid: string; session: ShareSession }) {
  const source = useSource();
  const { path } = useAddress();
  const state = useInvestigationState();
  useEffect(explainUnlessChosen, []);
  const page = path.slice(source.page.length).match(/^\/[^/]+/)?.[0] ?? "";
  return (
    <>
      <ShareBanner sid={sid} session={session} />
      <Tabs />
      <ContextBar />
      <main id="main" className="page" tabIndex={-1}>
        <RegionStateProvider value={state}>
          <NamesProvider>{shows(source, page) && page !== "/files" ? <Outlet /> : <NotShared />}</NamesProvider>
        </RegionStateProvider>
      </main>
      <EvidencePanel />
      <Omnibox inInvestigation />
    </>
  );
}

/** The same for what there is and what there is not. */
function NotShared() {
  return (
    <>
      <h1>Not part of this share</h1>
      <p>The link does not include this page. Ask the sender if you need it.</p>
    </>
  );
}

function LinkRefused({ error }: { error: Error }) {
  const gone = error instanceof Problem && error.status === 410;
  return (
    <main id="main" className="page" data-testid="share-refused">
      <h1>{gone ? "This link has expired or was revoked" : "Invalid link"}</h1>
      <p>
        {gone
          ? error.message
          : "The link is incomplete or wrong: the part after # may be missing."}
      </p>
      <p>Ask the sender for a new link. No sign-in is needed.</p>
    </main>
  );
}

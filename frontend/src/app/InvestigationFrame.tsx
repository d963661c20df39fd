/** Tabs, context bar and side panel around the pages of one investigation of one's own. */
import { Outlet, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { createPortal } from "react-dom";

import { useInvestigation } from "../api/queries";
import { ownSource, SourceProvider } from "../api/source";
import { EvidencePanel } from "../findings/EvidencePanel";
import { ShareButton } from "../sharing/ShareButton";
import { Omnibox } from "../omnibox/Omnibox";
import { ContextBar } from "./ContextBar";
import { useInvestigationState } from "./investigationState";
import { NamesProvider } from "../names/NamesProvider";
import { RegionStateProvider } from "../ui/regionState";
import { Tabs } from "./Tabs";
import { useLiveProgress } from "../api/liveProgress";
import { NotFound } from "./NotFound";
import { isNotThere, useDisappearance } from "./useDisappearance";
import { useFavicon } from "../ui/useFavicon";

export function InvestigationFrame() {
  const { id } = useParams({ strict: false }) as { id: string };
  const source = useMemo(() => ownSource(id), [id]);
  return (
    <SourceProvider value={source}>
      <Inside key={id} />
    </SourceProvider>
  );
}

function Inside() {
  const investigation = useInvestigation();
  const state = useInvestigationState();
  useLiveProgress();
  useDisappearance();
  useFavicon(investigation.data?.verdict?.role ?? null);
  const actions = document.getElementById("top-bar-actions");
  if (isNotThere(investigation.error)) return <NotFound was={investigation.data?.label} />;
  return (
    <>
      {actions && createPortal(<ShareButton label={investigation.data?.label ?? ""} />, actions)}
      <Tabs />
      <ContextBar />
      <main id="main" className="page" tabIndex={-1}>
        <RegionStateProvider value={state}>
          <NamesProvider><Outlet /></NamesProvider>
        </RegionStateProvider>
      </main>
      <EvidencePanel />
      <Omnibox inInvestigation />
    </>
  );
}

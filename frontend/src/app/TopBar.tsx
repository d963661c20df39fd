/** Product, where we are, the omnibox, what is running, explain mode, theme. */
import { useState } from "react";

import { WhoBadge } from "../access/WhoBadge";
import { useOwnInvestigation } from "../api/queries";
import { Rename } from "../investigations/Rename";
import { RouteLink, useAddress } from "../ui/RouteLink";
import { showOverlay } from "../ui/overlays";
import { ExplainSwitch } from "./ExplainSwitch";
import { useRunningInvestigations } from "./runningInvestigations";
import { ThemeSwitch } from "./ThemeSwitch";
import "./topBar.css";

export function TopBar() {
  const { path } = useAddress();
  const shared = path.startsWith("/s/");
  const id = /^\/i\/([^/]+)/.exec(path)?.[1];
  return (
    <header className="top-bar">
      <RouteLink href={shared ? path : "/"} className="top-bar-product">
        <img src="/icon.svg" alt="" width={20} height={20} /> Stallscope
      </RouteLink>
      {!shared && (
        <nav aria-label="Breadcrumb" className="top-bar-crumbs">
          <RouteLink href="/">Investigations</RouteLink>
          {id && <InvestigationCrumb id={id} />}
          {path === "/new" && <span>New</span>}
          {path === "/capture" && <span>What to capture</span>}
          {path === "/compare" && <span>Compare</span>}
          {path === "/ci" && <span>CI and tokens</span>}
          {path === "/settings" && <span>Settings</span>}
          {path.startsWith("/detectors") && <RouteLink href="/detectors">Detection rules</RouteLink>}
        </nav>
      )}
      <span className="top-bar-space" />
      <OmniboxButton />
      {!shared && <JobsIndicator />}
      {!shared && path !== "/ci" && <RouteLink href="/ci" className="top-bar-rules">CI</RouteLink>}
      {!path.startsWith("/detectors") && <RouteLink href="/detectors" className="top-bar-rules">Detection rules</RouteLink>}
      {/* The frame of the investigation puts its Share button here. */}
      <span id="top-bar-actions" />
      <ExplainSwitch />
      {!shared && <RouteLink href="/settings" className="top-bar-settings" aria-label="Settings" title="Settings"><span aria-hidden="true">⚙</span></RouteLink>}
      {!shared && <WhoBadge />}
      <ThemeSwitch />
    </header>
  );
}

function OmniboxButton() {
  return (
    <button type="button" className="top-bar-search" onClick={() => showOverlay("omnibox")} aria-haspopup="dialog" aria-keyshortcuts="Control+K" data-testid="omnibox-button">
      <span className="top-bar-search-words">Search, go, run …</span><span className="top-bar-search-sign" aria-hidden="true">⌕</span> <kbd>Ctrl K</kbd>
    </button>
  );
}

function InvestigationCrumb({ id }: { id: string }) {
  const investigation = useOwnInvestigation(id).data;
  const [naming, setNaming] = useState(false);
  if (!investigation) return <span className="top-bar-title">…</span>;
  if (naming) return <span className="top-bar-naming"><Rename investigation={investigation} onDone={() => setNaming(false)} /></span>;
  if (!investigation.may.includes("change")) return <span className="top-bar-title">{investigation.label}</span>;
  return (
    <span className="top-bar-title">
      <button type="button" className="top-bar-name" title="Rename" onClick={() => setNaming(true)}>{investigation.label}</button>
    </span>
  );
}

function JobsIndicator() {
  const running = useRunningInvestigations();
  const only = running.length === 1 ? running[0] : undefined;
  if (!running.length) return null;
  return (
    <RouteLink className="top-bar-jobs" href={only ? `/i/${only.id}` : "/"}>
      <span className="spinner" aria-hidden="true" /> {running.length} running
    </RouteLink>
  );
}

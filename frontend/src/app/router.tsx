/** Which address shows which page. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";

import { parseSearch, stringifySearch } from "../format/searchString";
import { InvestigationFrame } from "./InvestigationFrame";
import { NotFound } from "./NotFound";
import { SharedFrame } from "./SharedFrame";
import { Shell } from "./Shell";

const overview = lazyRouteComponent(() => import("../pages/OverviewPage"), "OverviewPage");
const timeline = lazyRouteComponent(() => import("../pages/TimelinePage"), "TimelinePage");
const connections = lazyRouteComponent(() => import("../pages/ConnectionsPage"), "ConnectionsPage");
const connection = lazyRouteComponent(() => import("../pages/ConnectionPage"), "ConnectionPage");
const findings = lazyRouteComponent(() => import("../pages/FindingsPage"), "FindingsPage");
const finding = lazyRouteComponent(() => import("../pages/FindingPage"), "FindingPage");
const rtt = lazyRouteComponent(() => import("../pages/RttPage"), "RttPage");
const requests = lazyRouteComponent(() => import("../pages/RequestsPage"), "RequestsPage");
const state = lazyRouteComponent(() => import("../pages/StatePage"), "StatePage");
const packets = lazyRouteComponent(() => import("../pages/PacketsPage"), "PacketsPage");
const report = lazyRouteComponent(() => import("../pages/ReportPage"), "ReportPage");
const files = lazyRouteComponent(() => import("../pages/FilesPage"), "FilesPage");
const investigations = lazyRouteComponent(() => import("../pages/InvestigationsPage"), "InvestigationsPage");
const fresh = lazyRouteComponent(() => import("../pages/NewPage"), "NewPage");
const capture = lazyRouteComponent(() => import("../pages/CapturePage"), "CapturePage");
const compare = lazyRouteComponent(() => import("../pages/ComparePage"), "ComparePage");
const ci = lazyRouteComponent(() => import("../pages/CiPage"), "CiPage");
const settings = lazyRouteComponent(() => import("../pages/SettingsPage"), "SettingsPage");
const detectors = lazyRouteComponent(() => import("../pages/DetectorsPage"), "DetectorsPage");
const detector = lazyRouteComponent(() => import("../pages/DetectorsPage"), "DetectorPage");

const root = createRootRoute({ component: Shell, notFoundComponent: () => <NotFound /> });

const own = createRoute({ getParentRoute: () => root, path: "/i/$id", component: InvestigationFrame });
const shared = createRoute({ getParentRoute: () => root, path: "/s/$sid", component: SharedFrame });

/** Pages over what was found: the same for one's own investigations and for shared ones. */
function results(parent: typeof own | typeof shared) {
  const pages = {
    "/": overview, "/timeline": timeline, "/findings": findings, "/findings/$fid": finding, "/connections": connections,
    "/connections/$cid": connection, "/rtt": rtt, "/requests": requests, "/state": state, "/packets": packets, "/report": report,
  };
  return Object.entries(pages).map(([path, component]) => createRoute({ getParentRoute: () => parent, path, component }));
}

const tree = root.addChildren([
  createRoute({ getParentRoute: () => root, path: "/", component: investigations }),
  createRoute({ getParentRoute: () => root, path: "/new", component: fresh }),
  createRoute({ getParentRoute: () => root, path: "/capture", component: capture }),
  createRoute({ getParentRoute: () => root, path: "/compare", component: compare }),
  createRoute({ getParentRoute: () => root, path: "/ci", component: ci }),
  createRoute({ getParentRoute: () => root, path: "/settings", component: settings }),
  createRoute({ getParentRoute: () => root, path: "/detectors", component: detectors }),
  createRoute({ getParentRoute: () => root, path: "/detectors/$kind", component: detector }),
  own.addChildren([
    ...results(own),
    createRoute({ getParentRoute: () => own, path: "/files", component: files }),
  ]),
  shared.addChildren(results(shared)),
]);

let shownPath = "";

/** Scrolls to the top for another page only: a window or filter written into the address moves nothing. */
function isAnotherPage({ location }: { location: { pathname: string } }): boolean {
  const another = location.pathname !== shownPath;
  shownPath = location.pathname;
  return another;
}

export const router = createRouter({
  routeTree: tree,
  // An unknown page of a known investigation, too, is one page without tabs.
  notFoundMode: "root",
  parseSearch,
  stringifySearch,
  scrollRestoration: isAnotherPage,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

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
const files = lazyRouteComponent(() => import("../pages/FilesPage"), "FilesPage");
const investigations = lazyRouteComponent(() => import("../pages/InvestigationsPage"), "InvestigationsPage");
const fresh = lazyRouteComponent(() => import("../pages/NewPage"), "NewPage");
const capture = lazyRouteComponent(() => import("../pages/CapturePage"), "CapturePage");

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const own = createRoute({ getParentRoute: () => root, path: "/i/$id", component: InvestigationFrame });
const shared = createRoute({ getParentRoute: () => root, path: "/s/$sid", component: SharedFrame });

const tree = root.addChildren([
  createRoute({ getParentRoute: () => root, path: "/", component: investigations }),
  createRoute({ getParentRoute: () => root, path: "/new", component: fresh }),
  createRoute({ getParentRoute: () => root, path: "/capture", component: capture }),
  own.addChildren([
    createRoute({ getParentRoute: () => own, path: "/", component: overview }),
    createRoute({ getParentRoute: () => own, path: "/timeline", component: timeline }),
    createRoute({ getParentRoute: () => own, path: "/connections", component: connections }),
    createRoute({ getParentRoute: () => own, path: "/connections/$cid", component: connection }),
    createRoute({ getParentRoute: () => own, path: "/files", component: files }),
  ]),
  shared.addChildren([
    createRoute({ getParentRoute: () => shared, path: "/", component: overview }),
    createRoute({ getParentRoute: () => shared, path: "/timeline", component: timeline }),
    createRoute({ getParentRoute: () => shared, path: "/connections", component: connections }),
    createRoute({ getParentRoute: () => shared, path: "/connections/$cid", component: connection }),
  ]),
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
  parseSearch,
  stringifySearch,
  scrollRestoration: isAnotherPage,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

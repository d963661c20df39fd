/** What surrounds every page: top bar, drop target, paste sheet, keys, omnibox. */
import { Outlet } from "@tanstack/react-router";

import { SignInGuard } from "../access/SignInGuard";
import { AfterUpload } from "../upload/AfterUpload";
import { DropEverywhere } from "../upload/DropEverywhere";
import { PasteAnywhere } from "../upload/PasteAnywhere";
import { UploadsProvider } from "../upload/UploadsProvider";
import { Omnibox } from "../omnibox/Omnibox";
import { useAddress } from "../ui/RouteLink";
import { ConnectionBanner } from "./ConnectionBanner";
import { DiskBanner } from "./DiskBanner";
import { GlobalKeys } from "./GlobalKeys";
import { investigationOf } from "./globalKeys";
import { KeyHelp } from "./KeyHelp";
import { TopBar } from "./TopBar";

export function Shell() {
  const { path } = useAddress();
  return (
    <SignInGuard>
      <UploadsProvider>
        <a className="skip-link" href="#main">
          Skip to content
        </a>
        <TopBar />
        <ConnectionBanner />
        <DiskBanner />
        <AfterUpload />
        <Outlet />
        <DropEverywhere />
        <PasteAnywhere />
        <GlobalKeys />
        <KeyHelp />
        {!investigationOf(path) && <Omnibox />}
      </UploadsProvider>
    </SignInGuard>
  );
}

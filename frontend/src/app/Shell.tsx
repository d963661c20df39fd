/** What surrounds every page: top bar, drop target, paste sheet. */
import { Outlet } from "@tanstack/react-router";

import { DropEverywhere } from "../upload/DropEverywhere";
import { PasteAnywhere } from "../upload/PasteAnywhere";
import { UploadsProvider } from "../upload/UploadsProvider";
import { TopBar } from "./TopBar";

export function Shell() {
  return (
    <UploadsProvider>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <TopBar />
      <Outlet />
      <DropEverywhere />
      <PasteAnywhere />
    </UploadsProvider>
  );
}

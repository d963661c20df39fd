/** Where an investigation is read from: one's own, or a share link. Pages do not know the difference. */
import { createContext, useContext } from "react";

import type { ShareSession } from "./types";

export interface Source {
  /** Part of every query key. */
  key: string;
  /** Prefix of API addresses. */
  api: string;
  /** Prefix of page addresses. */
  page: string;
  headers: Record<string, string>;
  readOnly: boolean;
  /** Pages below `page` that are shown, as `/timeline`; null for all. */
  pages: ReadonlySet<string> | null;
  /** Whether notes by people can be read. */
  notes: boolean;
}

/** Pages of a link to one finding; of one view; of a view that neither a filter nor lanes narrow. */
const OF_A_FINDING = ["", "/timeline", "/findings", "/connections", "/report"];
const OF_A_VIEW = ["", "/timeline", "/findings", "/packets", "/report"];
const OF_A_WINDOW = [...OF_A_VIEW, "/connections", "/rtt", "/requests"];

function pagesOf({ finding, view }: Pick<ShareSession, "finding" | "view">): ReadonlySet<string> | null {
  if (view) return new Set(view.filter || view.lanes?.length ? OF_A_VIEW : OF_A_WINDOW);
  return finding ? new Set(OF_A_FINDING) : null;
}

export function ownSource(id: string): Source {
  return { key: `own:${id}`, api: `/api/v1/investigations/${id}`, page: `/i/${id}`, headers: {}, readOnly: false, pages: null, notes: true };
}

export function sharedSource(sid: string, session: Pick<ShareSession, "token" | "finding" | "view" | "notes">): Source {
  return {
    key: `shared:${sid}`,
    api: `/api/v1/shared/${sid}`,
    page: `/s/${sid}`,
    headers: { "X-Stallscope-Share": session.token },
    readOnly: true,
    pages: pagesOf(session),
    notes: session.notes,
  };
}

/** Whether a page of the investigation is part of what is shown. */
export const shows = (source: Source, page: string): boolean => source.pages === null || source.pages.has(page);

const SourceContext = createContext<Source | null>(null);
export const SourceProvider = SourceContext.Provider;

/** The investigation around this component. Throws outside an investigation's pages. */
export function useSource(): Source {
  const source = useContext(SourceContext);
  if (!source) throw new Error("useSource needs a SourceProvider above it");
  return source;
}

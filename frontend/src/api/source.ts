/** Where an investigation is read from: one's own, or a share link. Pages do not know the difference. */
import { createContext, useContext } from "react";

export interface Source {
  /** Part of every query key. */
  key: string;
  /** Prefix of API addresses. */
  api: string;
  /** Prefix of page addresses. */
  page: string;
  headers: Record<string, string>;
  readOnly: boolean;
  /** The only finding that is shown; empty for all. */
  finding: string;
}

export function ownSource(id: string): Source {
  return { key: `own:${id}`, api: `/api/v1/investigations/${id}`, page: `/i/${id}`, headers: {}, readOnly: false, finding: "" };
}

export function sharedSource(sid: string, token: string, finding = ""): Source {
  return {
    key: `shared:${sid}`,
    api: `/api/v1/shared/${sid}`,
    page: `/s/${sid}`,
    headers: { "X-Stallscope-Share": token },
    readOnly: true,
    finding,
  };
}

const SourceContext = createContext<Source | null>(null);
export const SourceProvider = SourceContext.Provider;

/** The investigation around this component. Throws outside an investigation's pages. */
export function useSource(): Source {
  const source = useContext(SourceContext);
  if (!source) throw new Error("useSource needs a SourceProvider above it");
  return source;
}

export function useOptionalSource(): Source | null {
  return useContext(SourceContext);
}

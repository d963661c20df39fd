/** The names of one investigation, asked for once; nobody else asks. Switched off in the settings, there are none. */
import { useQuery } from "@tanstack/react-query";
import { createContext, useContext, useMemo, type ReactNode } from "react";

import { ask } from "../api/http";
import { useReport } from "../api/queries";
import { useSource } from "../api/source";
import { useSettings } from "../settings/settings";
import { nameTable, type NameOf, type NamePart } from "./nameTable";

const nobody: NameOf = () => null;
const Names = createContext<NameOf>(nobody);

export const useNameOf = (): NameOf => useContext(Names);

export function NamesProvider({ children }: { children: ReactNode }) {
  const source = useSource();
  const shown = useSettings().names;
  const total = useReport().data?.names_total ?? 0;
  const { data } = useQuery({
    queryKey: [source.key, "names", total],
    enabled: shown && total > 0,
    staleTime: Infinity,
    queryFn: ({ signal }) => ask<{ items: NamePart[] }>(`${source.api}/names`, { headers: source.headers, signal }),
  });
  const items = shown && total > 0 ? data?.items : undefined;
  const nameOf = useMemo(() => (items ? nameTable(items) : nobody), [items]);
  return <Names.Provider value={nameOf}>{children}</Names.Provider>;
}

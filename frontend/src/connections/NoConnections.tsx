/** No connection matches: what comes nearest, part by part of the filter. */
import { ask, queryString } from "../api/http";
import { useConnections, type ConnectionsFilter } from "../api/queries";
import { useSource } from "../api/source";
import type { Connection, Page } from "../api/types";
import { EmptyFilter, type NearFilter } from "../ui/EmptyFilter";

interface NoConnectionsProps {
  filter: ConnectionsFilter;
  change: (changes: Record<string, string | null>) => void;
}

export function NoConnections({ filter, change }: NoConnectionsProps) {
  const source = useSource();
  const all = useConnections({ limit: 1 }).data?.total ?? null;
  const { q, outcome, finding, from, to } = filter;
  const asked = { q, outcome, finding, from, to };
  const count = async (without: Partial<typeof asked>, signal: AbortSignal): Promise<number> => {
    const query = queryString({ ...asked, ...without, limit: 1 });
    return (await ask<Page<Connection>>(`${source.api}/connections${query}`, { headers: source.headers, signal })).total ?? 0;
  };
  const near = (words: string, without: Partial<typeof asked>, changes: Record<string, string | null>): NearFilter => ({
    without: words, key: [source.key, asked, words], count: (signal) => count(without, signal), apply: () => change(changes),
  });
  const parts = [
    ...(q ? [near(q, { q: null }, { q: null })] : []),
    ...(outcome ? [near(`outcome ${outcome}`, { outcome: null }, { outcome: null })] : []),
    ...(finding ? [near("the finding", { finding: null }, { sel: null })] : []),
    ...(from != null ? [near("the window", { from: null, to: null }, { w: null })] : []),
  ];
  return (
    <EmptyFilter
      what="connections" total={all} filter={[q, outcome].filter(Boolean).join(", ")} near={parts.length > 1 ? parts : []}
      clear={() => change({ q: null, outcome: null, sel: null, w: null })}
    />
  );
}

/** No connection matches: what comes nearest, part by part of the filter. */
import type { ConnectionsFilter } from "../api/queries";
import { NoRows, type FilterPart } from "../lists/NoRows";

interface NoConnectionsProps {
  filter: ConnectionsFilter;
  change: (changes: Record<string, string | null>) => void;
}

export function NoConnections({ filter, change }: NoConnectionsProps) {
  const { q, outcome, finding, from, to } = filter;
  const asked = { q, outcome, finding, from, to };
  const part = (words: string, without: Partial<typeof asked>, changes: Record<string, string | null>): FilterPart =>
    ({ words, asked: { ...asked, ...without }, drop: () => change(changes) });
  const parts = [
    ...(q ? [part(q, { q: null }, { q: null })] : []),
    ...(outcome ? [part(`outcome ${outcome}`, { outcome: null }, { outcome: null })] : []),
    ...(finding ? [part("the finding", { finding: null }, { sel: null })] : []),
    ...(from != null ? [part("the window", { from: null, to: null }, { w: null })] : []),
  ];
  return (
    <NoRows
      what="connections" path="/connections" parts={parts} filter={[q, outcome].filter(Boolean).join(", ")}
      clear={() => change({ q: null, outcome: null, sel: null, w: null })}
    />
  );
}

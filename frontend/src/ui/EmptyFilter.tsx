/** A filter that leaves nothing: how many there are without it, the way back, and what comes nearest. */
import { useQueries } from "@tanstack/react-query";

import { count } from "../format/quantity";

/** The filter with one of its parts left out. */
interface NearFilter {
  /** The part that is left out, as people read it: "outcome refused". */
  without: string;
  /** Names the question for the cache. */
  key: unknown;
  count: (signal: AbortSignal) => Promise<number>;
  apply: () => void;
}

interface EmptyFilterProps {
  /** "connections". */
  what: string;
  /** All of them; null while it is not known. */
  total: number | null;
  filter: string;
  clear: () => void;
  near: readonly NearFilter[];
}

export function EmptyFilter({ what, total, filter, clear, near }: EmptyFilterProps) {
  const asked = useQueries({
    queries: near.map((each) => ({ queryKey: ["near-filter", each.key], queryFn: ({ signal }: { signal: AbortSignal }) => each.count(signal) })),
  });
  const counted = near.map((each, at) => ({ each, found: asked[at]?.data ?? 0 })).filter(({ found }) => found > 0);
  const nearest = counted.sort((a, b) => a.found - b.found)[0];
  return (
    <p className="empty-filter" data-testid="empty-filter">
      0{total === null ? "" : ` of ${count(total)}`} {what} match {filter && <code className="mono">{filter}</code>}{" "}
      <button type="button" className="link-button" onClick={clear}>clear filter</button>
      {nearest && (
        <>
          {" · "}
          <button type="button" className="link-button" onClick={nearest.each.apply} data-count={nearest.found}>
            nearest: {count(nearest.found)} match without {nearest.each.without}
          </button>
        </>
      )}
    </p>
  );
}

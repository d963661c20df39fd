/** A place on the page that shows data, and what is shown when there is none. */
import { useEffect, useState, type ReactNode } from "react";

import { Boundary } from "./Boundary";
import { RegionChips } from "./RegionChips";
import { InsideRegion } from "./regionState";
import "./region.css";

interface Answer<Data> {
  data: Data | undefined;
  error: Error | null;
  isPending: boolean;
  isFetching: boolean;
  isPlaceholderData?: boolean;
  refetch: () => unknown;
}

interface RegionProps<Data> {
  /** What is here, for screen readers: "Connections". */
  label: string;
  query: Answer<Data>;
  /** Shown instead of the grey lines while the first answer is under way. */
  skeleton?: ReactNode;
  /** A sentence why there is nothing, or null when there is something. */
  empty?: (data: Data) => ReactNode;
  children: (data: Data) => ReactNode;
}

const QUIET_MS = 200;

/** True once `busy` has lasted long enough to be worth showing. */
function useLasting(busy: boolean): boolean {
  const [lasting, setLasting] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setLasting(busy), busy ? QUIET_MS : 0);
    return () => window.clearTimeout(timer);
  }, [busy]);
  return busy && lasting;
}

export function Region<Data>({ label, query, skeleton, empty, children }: RegionProps<Data>) {
  const stale = useLasting(query.isFetching && Boolean(query.isPlaceholderData));
  const slow = useLasting(query.isPending);
  if (query.data === undefined) {
    if (query.error) return <Failure label={label} error={query.error} retry={query.refetch} />;
    return <Waiting label={label} visible={slow} skeleton={skeleton} />;
  }
  const nothing = empty?.(query.data) ?? null;
  return (
    <section aria-label={label} aria-busy={stale} className={stale ? "region region-stale" : "region"}>
      {query.error && <Failure label={label} error={query.error} retry={query.refetch} />}
      <RegionChips />
      <InsideRegion value={true}>
        <Boundary label={label}>
          {nothing === null ? <Shown data={query.data} show={children} /> : <div className="region-empty">{nothing}</div>}
        </Boundary>
      </InsideRegion>
    </section>
  );
}

/** A component of its own, so that a mistake in it is caught by the boundary around it. */
function Shown<Data>({ data, show }: { data: Data; show: (data: Data) => ReactNode }) {
  return <>{show(data)}</>;
}

function Waiting({ label, visible, skeleton }: { label: string; visible: boolean; skeleton?: ReactNode }) {
  return (
    <section aria-label={label} aria-busy="true" className="region">
      {visible && (skeleton ?? <div className="region-skeleton" />)}
    </section>
  );
}

export function Failure({ label, error, retry }: { label: string; error: Error; retry?: () => unknown }) {
  return (
    <div role="alert" className="region-failure">
      <strong>{label} could not be loaded.</strong> {error.message}{" "}
      {retry && (
        <button type="button" className="link-button" onClick={() => retry()}>
          Try again
        </button>
      )}
    </div>
  );
}

/** No round trip of the kind in the window: what comes nearest. */
import { NoRows } from "../lists/NoRows";
import { windowEnd } from "../timeline/timeWindow";
import { useSetParameters } from "../ui/RouteLink";

interface NoTripsProps {
  w: { fromNs: number; durationNs: number };
  kind: string | null;
  showAll: () => void;
}

export function NoTrips({ w, kind, showAll }: NoTripsProps) {
  const setParameters = useSetParameters();
  const everyKind = () => setParameters({ kinds: null, series: null }, "push");
  const parts = [
    { words: "the window", asked: { kind }, drop: showAll },
    ...(kind === null ? [] : [{ words: kind, asked: { from: w.fromNs, to: windowEnd(w) }, drop: everyKind }]),
  ];
  return (
    <NoRows
      what="round trips" path="/rtt" parts={parts} filter={kind === null ? "this window" : `${kind} in this window`}
      clear={() => {
        everyKind();
        showAll();
      }}
    />
  );
}

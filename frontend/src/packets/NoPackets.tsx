/** No packet matches: what comes nearest, part by part of the filter. */
import { conjuncts, partName, withoutPart } from "../lists/conjuncts";
import { NoRows } from "../lists/NoRows";
import { useSetParameters } from "../ui/RouteLink";

interface NoPacketsProps {
  filter: string;
  window_ns: { from: number | null; to: number | null };
  /** The filter is tshark's, which is not taken apart here. */
  deep: boolean;
}

export function NoPackets({ filter, window_ns, deep }: NoPacketsProps) {
  const setParameters = useSetParameters();
  const parts = deep ? [filter] : conjuncts(filter);
  const inWindow = window_ns.from !== null;
  if (parts.length === 0 && !inWindow) return <>No capture was given.</>;
  const near = deep ? [] : [
    ...parts.map((_, at) => {
      const rest = withoutPart(parts, at) || null;
      return { words: partName(parts, at), asked: { filter: rest, ...window_ns }, drop: () => setParameters({ q: rest }, "push") };
    }),
    ...(inWindow ? [{ words: "the window", asked: { filter: filter || null }, drop: () => setParameters({ w: null }, "push") }] : []),
  ];
  return (
    <NoRows
      what="packets" path="/packets" parts={near} filter={filter || "this window"}
      clear={() => setParameters({ q: null, w: null, deep: null }, "push")}
    />
  );
}

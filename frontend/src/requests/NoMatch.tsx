/** No request matches: what comes nearest, part by part of the filter. */
import { NoRows, type FilterPart } from "../lists/NoRows";
import { useSetParameters } from "../ui/RouteLink";

type Asked = Record<string, string | number | null>;

export function NoMatch({ asked, clear }: { asked: Asked; clear: () => void }) {
  const setParameters = useSetParameters();
  const part = (words: string, without: Asked, changes: Record<string, null>): FilterPart =>
    ({ words, asked: { ...asked, ...without }, drop: () => setParameters(changes, "push") });
  const parts = [
    ...(asked.q ? [part(String(asked.q), { q: null }, { q: null })] : []),
    ...(asked.from != null ? [part("the window", { from: null, to: null }, { w: null })] : []),
    ...(asked.shape != null || asked.line != null ? [part("the shape", { shape: null, line: null, responder: null }, { shape: null, line: null, to: null })] : []),
  ];
  return <NoRows what="requests" path="/requests" parts={parts} filter={String(asked.q ?? "") || (asked.from != null ? "this window" : "this shape")} clear={clear} />;
}

/** No row of a dump's table holds what is looked for: what comes nearest, word by word, or by address or port alone. */
import { NoRows } from "../lists/NoRows";
import { useSetParameters } from "../ui/RouteLink";

/** `10.0.0.1:80` as its address and its port, everything else as its words. */
function wordsOf(filter: string): string[] {
  const end = /^\[?([0-9A-Fa-f.:]+?)\]?:(\d{1,5})$/.exec(filter.trim());
  return end?.[1] !== undefined && end[2] !== undefined ? [end[1], end[2]] : filter.trim().split(/\s+/);
}

export function NoDumpRows({ path, filter }: { path: string; filter: string }) {
  const setParameters = useSetParameters();
  const words = wordsOf(filter);
  const parts = words.map((word, at) => {
    const rest = words.filter((_, each) => each !== at).join(" ");
    return { words: word, asked: { q: rest || null }, drop: () => setParameters({ rows: rest || null }, "push") };
  });
  return <NoRows what="rows" path={path} parts={parts} filter={filter} clear={() => setParameters({ rows: null }, "push")} />;
}

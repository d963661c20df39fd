/** A list on the server that its filter leaves empty: what comes nearest, part by part of the filter. */
import { useQuery } from "@tanstack/react-query";

import { ask, queryString } from "../api/http";
import { useSource } from "../api/source";
import { EmptyFilter } from "../ui/EmptyFilter";

type Asked = Record<string, string | number | null | undefined>;

/** One part of a filter, and the filter without it. */
export interface FilterPart {
  /** As people read it: "outcome refused". */
  words: string;
  /** What is asked of the server instead. */
  asked: Asked;
  /** Takes the part out of the page's filter. */
  drop: () => void;
}

interface NoRowsProps {
  /** "connections". */
  what: string;
  /** Of the list, below the investigation. */
  path: string;
  parts: readonly FilterPart[];
  /** The filter in words. */
  filter: string;
  clear: () => void;
}

/** More parts are not tried: each asks the whole list. */
const TRIED = 6;

export function NoRows({ what, path, parts, filter, clear }: NoRowsProps) {
  const { api, headers, key } = useSource();
  const count = async (asked: Asked, signal: AbortSignal): Promise<number> =>
    (await ask<{ total: number | null }>(`${api}${path}${queryString({ ...asked, offset: 0, limit: 1 })}`, { headers, signal })).total ?? 0;
  const all = useQuery({ queryKey: [key, "all-rows", path], queryFn: ({ signal }) => count({}, signal) });
  const tried = parts.length > 1 ? parts.slice(0, TRIED) : []; // without its only part it is no filter
  return (
    <EmptyFilter
      what={what} total={all.data ?? null} filter={filter} clear={clear}
      near={tried.map((part) => ({ without: part.words, key: [key, path, part.asked], count: (signal) => count(part.asked, signal), apply: part.drop }))}
    />
  );
}

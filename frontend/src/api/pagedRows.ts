/** Rows of a list on the server, asked for in pages as they come into view. Any row can be jumped to. */
import { keepPreviousData, useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";

import { ask, queryString } from "./http";
import { useSource } from "./source";

export const PAGE_ROWS = 200;

export interface RowPage<Item> {
  items: Item[];
  /** Rows of the whole list. */
  total: number;
}

type Parameters = Record<string, string | number | null | undefined>;

/** Numbers of the pages that hold rows `from` to `to`, both included. */
export function pagesOf(from: number, to: number): number[] {
  const first = Math.floor(Math.max(0, from) / PAGE_ROWS);
  const last = Math.floor(Math.max(from, to, 0) / PAGE_ROWS);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

export interface PagedRows<Item, Answer extends RowPage<Item>> {
  /** The first page: its total, its errors, whether it is on its way. */
  first: UseQueryResult<Answer>;
  total: number;
  /** A row, or undefined while it is on its way. */
  rowAt: (row: number) => Item | undefined;
  onVisible: (from: number, to: number) => void;
}

const FRESH_MS = 60_000;
/** Pages that a scrollbar passes by are not asked for. */
const SETTLED_MS = 80;

/** `path` below the investigation answers `items` and `total` for `offset` and `limit`. */
export function usePagedRows<Item, Answer extends RowPage<Item> = RowPage<Item>>(path: string, parameters: Parameters): PagedRows<Item, Answer> {
  const source = useSource();
  const [view, setView] = useState({ from: 0, to: 0 });
  const timer = useRef(0);
  const onVisible = useCallback((from: number, to: number) => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setView((now) => (now.from === from && now.to === to ? now : { from, to })), SETTLED_MS);
  }, []);
  const page = (number: number, asked: Parameters) => ({
    queryKey: [source.key, "rows", path, asked, number],
    staleTime: FRESH_MS,
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      ask<Answer>(`${source.api}${path}${queryString({ ...asked, offset: number * PAGE_ROWS, limit: PAGE_ROWS })}`, { headers: source.headers, signal }),
  });
  const first = useQuery({ ...page(0, parameters), placeholderData: keepPreviousData }) as UseQueryResult<Answer>;
  // A filter that the server refuses leaves the rows of the one before on the page.
  const [good, setGood] = useState<{ data: Answer; parameters: Parameters } | null>(null);
  useEffect(() => {
    if (first.data && !first.isPlaceholderData) setGood({ data: first.data, parameters });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the parameters are those of the data
  }, [first.data, first.isPlaceholderData]);
  const kept = first.error ? good : null;
  const data = first.data ?? kept?.data;
  const numbers = pagesOf(view.from, view.to).filter((number) => number > 0);
  const others = useQueries({ queries: numbers.map((number) => page(number, kept?.parameters ?? parameters)) });
  const rowAt = (row: number): Item | undefined => {
    const number = Math.floor(row / PAGE_ROWS);
    const answer = number === 0 ? data : others[numbers.indexOf(number)]?.data;
    return answer?.items[row % PAGE_ROWS];
  };
  return { first: { ...first, data } as UseQueryResult<Answer>, total: data?.total ?? 0, rowAt, onVisible };
}

/** An investigation that was deleted elsewhere while its pages are open. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { Problem } from "../api/http";
import { useSource } from "../api/source";

const AGAIN_MS = 10_000;
/** Unknown, or no id at all. */
const NOT_THERE = [400, 404, 422];

export const isNotThere = (error: unknown): boolean => error instanceof Problem && NOT_THERE.includes(error.status);

/** Asks for the investigation again from time to time, and at once where a part of it is not found. */
export function useDisappearance(): void {
  const { key } = useSource();
  const queries = useQueryClient();
  useEffect(() => {
    const again = () => void queries.invalidateQueries({ queryKey: [key, "investigation"] });
    const leave = queries.getQueryCache().subscribe((event) => {
      if (event.type !== "updated" || event.action.type !== "error") return;
      const [of, part] = event.query.queryKey;
      if (of === key && part !== "investigation" && isNotThere(event.action.error)) again();
    });
    const timer = setInterval(() => document.hidden || again(), AGAIN_MS);
    document.addEventListener("visibilitychange", again);
    return () => {
      leave();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", again);
    };
  }, [key, queries]);
}

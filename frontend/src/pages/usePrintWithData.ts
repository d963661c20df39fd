/** Printing once all parts of the page have their data. */
import { useIsFetching } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";

import { useSource } from "../api/source";

/** A part may request its rows only when it has been drawn. */
const SETTLED_MS = 200;

/** `start` prints at once, or as soon as no request of the investigation is under way. */
export function usePrintWithData(): { start: () => void; waiting: boolean } {
  const { key } = useSource();
  const fetching = useIsFetching({ queryKey: [key] }) > 0;
  const [waiting, setWaiting] = useState(false);
  useEffect(() => {
    if (!waiting || fetching) return undefined;
    const timer = setTimeout(() => {
      setWaiting(false);
      window.print();
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [waiting, fetching]);
  return { start: useCallback(() => setWaiting(true), []), waiting };
}

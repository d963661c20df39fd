/** Lights up the row of the mark under the pointer, without drawing the table anew. */
import { useEffect, type RefObject } from "react";

import { usePointedMark } from "./pointed";

export function PointedRow({ table }: { table: RefObject<HTMLElement | null> }) {
  const mark = usePointedMark();
  useEffect(() => {
    const row = mark === null ? null : table.current?.querySelector(`[data-mark="${CSS.escape(mark)}"]`);
    row?.setAttribute("data-pointed", "");
    return () => row?.removeAttribute("data-pointed");
  }, [mark, table]);
  return null;
}

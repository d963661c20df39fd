/** Copies or saves exactly the rows that a list shows; their number is on the button. */
import { useMutation } from "@tanstack/react-query";

import { ask, queryString } from "../api/http";
import { useSource } from "../api/source";
import { count, plural } from "../format/quantity";
import { rowText, type Item, type RowForm } from "./rowText";

interface ExportRowsProps {
  /** "connections": the name of the file. */
  what: string;
  /** One of them. */
  one: string;
  /** Of the list, below the investigation. */
  path: string;
  asked: Record<string, string | number | null | undefined>;
  total: number;
}

const PAGE_ROWS = 1000;
/** More than this a browser should not hold as text. */
const MOST_ROWS = 100_000;

export function ExportRows({ what, one, path, asked, total }: ExportRowsProps) {
  const { api, headers } = useSource();
  const all = async (): Promise<Item[]> => {
    const items: Item[] = [];
    let cursor: string | null = null;
    do {
      const page: { items: Item[]; next_cursor?: string | null } = await ask(`${api}${path}${queryString({ ...asked, limit: PAGE_ROWS, cursor })}`, { headers });
      items.push(...page.items);
      cursor = page.next_cursor ?? null;
    } while (cursor !== null && items.length < MOST_ROWS);
    return items;
  };
  const give = useMutation({
    mutationFn: async (form: RowForm) => {
      const text = rowText(await all(), form);
      if (form === "tsv") await navigator.clipboard.writeText(text);
      else save(text, `${what}.${form}`, form === "csv" ? "text/csv" : "application/json");
    },
  });
  if (total === 0) return null;
  if (total > MOST_ROWS) return <span className="dim">More than {count(MOST_ROWS)} rows: narrow the filter to copy or save them.</span>;
  const button = (form: RowForm, words: string) => (
    <button type="button" className="button" disabled={give.isPending} onClick={() => give.mutate(form)}>{words}</button>
  );
  return (
    <span className="export-rows" role="group" aria-label={`Export ${what}`} data-testid="export-rows">
      {button("tsv", give.isSuccess && give.variables === "tsv" ? "Copied" : `Copy ${plural(total, one)}`)} {button("csv", "CSV")} {button("json", "JSON")}
      {give.error && <span role="alert"> {give.error.message}</span>}
    </span>
  );
}

function save(text: string, name: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Rows of a list as text for spreadsheets and programs. Pure. */

export type Item = Record<string, unknown>;
export type RowForm = "tsv" | "csv" | "json";

/** What a spreadsheet would take for a formula is made a text (OWASP, CSV injection; the wide signs where Japanese or Chinese is written); numbers stay numbers. */
function guarded(text: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return guarded(value.join(" "));
  return guarded(typeof value === "string" ? value : JSON.stringify(value));
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
/** A tab or line end inside would end the cell. */
const plain = (text: string): string => text.replaceAll(/[\t\r\n]+/g, " ");

/** All rows with their names in front. */
export function rowText(items: readonly Item[], form: RowForm): string {
  if (form === "json") return `${JSON.stringify(items, null, 1)}\n`;
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const rows = [columns, ...items.map((item) => columns.map((column) => cell(item[column])))];
  const [between, end, written] = form === "csv" ? [",", "\r\n", quoted] : ["\t", "\n", plain];
  return rows.map((row) => row.map(written).join(between) + end).join("");
}

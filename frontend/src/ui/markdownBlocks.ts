/** The small part of Markdown that our rules are written in: headings, paragraphs, lists, tables. */
export type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "paragraph"; text: string }
  | { kind: "list"; items: string[] }
  | { kind: "table"; head: string[]; rows: string[][] };

const cells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());

/** Lines of one block belong together; a blank line, or a line of another kind, ends it. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open = false;
  for (const line of text.split("\n")) {
    const last = open ? blocks.at(-1) : undefined;
    open = line.trim() !== "";
    if (!open) continue;
    const next = started(line);
    if (!continued(last, next, line)) blocks.push(next);
  }
  return blocks;
}

function started(line: string): Block {
  const heading = /^(#{1,6})\s+(.*)$/.exec(line);
  if (heading) return { kind: "heading", level: heading[1]?.length ?? 1, text: heading[2] ?? "" };
  const item = /^\s*[-*]\s+(.*)$/.exec(line);
  if (item) return { kind: "list", items: [item[1] ?? ""] };
  if (line.trim().startsWith("|")) return { kind: "table", head: cells(line), rows: [] };
  return { kind: "paragraph", text: line.trim() };
}

/** Whether the line went into the block before it. */
function continued(last: Block | undefined, next: Block, line: string): boolean {
  if (last?.kind === "table" && next.kind === "table") {
    if (!/^[\s|:-]+$/.test(line)) last.rows.push(next.head);
    return true;
  }
  if (last?.kind === "list" && next.kind === "list") {
    last.items.push(...next.items);
    return true;
  }
  if (next.kind !== "paragraph") return false;
  if (last?.kind === "list") {
    last.items.push(`${last.items.pop() ?? ""} ${next.text}`);
    return true;
  }
  if (last?.kind !== "paragraph") return false;
  last.text += ` ${next.text}`;
  return true;
}

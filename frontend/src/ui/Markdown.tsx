/** Shows a rule's text. What it holds becomes elements and text, never markup. */
import type { ReactNode } from "react";

import { blocksOf, type Block } from "./markdownBlocks";

export function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      {blocksOf(text).map((block, at) => (
        <Shown key={at} block={block} />
      ))}
    </div>
  );
}

function Shown({ block }: { block: Block }) {
  switch (block.kind) {
    case "heading":
      return block.level === 1 ? <h4 className="markdown-title">{inline(block.text)}</h4> : <h5>{inline(block.text)}</h5>;
    case "paragraph":
      return <p>{inline(block.text)}</p>;
    case "list":
      return (
        <ul>
          {block.items.map((item, at) => (
            <li key={at}>{inline(item)}</li>
          ))}
        </ul>
      );
    case "table":
      return <Table head={block.head} rows={block.rows} />;
  }
}

function Table({ head, rows }: { head: string[]; rows: string[][] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          {head.map((cell, at) => (
            <th key={at}>{inline(cell)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column}>{inline(cell)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `code`, **bold** and *emphasis*. */
function inline(text: string): ReactNode[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*)/).map((part, at) => {
    if (part.startsWith("`")) return <code key={at} className="mono">{part.slice(1, -1)}</code>;
    if (part.startsWith("**")) return <strong key={at}>{part.slice(2, -2)}</strong>;
    if (/^\*[^*]+\*$/.test(part)) return <em key={at}>{part.slice(1, -1)}</em>;
    return part;
  });
}

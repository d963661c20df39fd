/** The protocol tree of a frame; pointing at a field marks its bytes, and the other way round. */
import { useState } from "react";

import type { TreeNode } from "../api/looks";

export interface Span {
  begin: number;
  end: number;
}

interface ProtocolTreeProps {
  tree: TreeNode[];
  /** The bytes pointed at. */
  span: Span | null;
  point: (span: Span | null) => void;
}

export const spanOf = (node: TreeNode): Span | null => (node.end > node.begin ? { begin: node.begin, end: node.end } : null);

/** The smallest field that holds a byte. */
export function nodeAt(tree: TreeNode[], at: number): TreeNode | null {
  let best: TreeNode | null = null;
  for (const node of tree) {
    const inner = nodeAt(node.children, at);
    const own = node.begin <= at && at < node.end ? node : null;
    for (const each of [own, inner]) {
      if (each !== null && (best === null || each.end - each.begin <= best.end - best.begin)) best = each;
    }
  }
  return best;
}

export function ProtocolTree({ tree, span, point }: ProtocolTreeProps) {
  return (
    <ul className="protocol-tree mono" aria-label="Protocol tree" data-testid="protocol-tree" onPointerLeave={() => point(null)}>
      {tree.map((node, at) => <Branch key={at} node={node} span={span} point={point} open={at >= tree.length - 2} />)}
    </ul>
  );
}

function Branch({ node, span, point, open: atFirst = false }: { node: TreeNode; open?: boolean } & Omit<ProtocolTreeProps, "tree">) {
  const [open, setOpen] = useState(atFirst);
  const own = spanOf(node);
  const within = span !== null && own !== null && own.begin <= span.begin && span.end <= own.end;
  const exact = within && own.begin === span.begin && own.end === span.end;
  const shown = open || (within && !exact);
  const leaf = node.children.length === 0;
  return (
    <li>
      <button
        type="button" className={exact ? "tree-field tree-field-at" : "tree-field"} aria-expanded={leaf ? undefined : shown} data-field={node.name} title={node.name}
        onPointerEnter={() => point(own)} onFocus={() => point(own)} onBlur={() => point(null)} onClick={() => setOpen(!shown)}
      >
        <span aria-hidden="true">{leaf ? " " : shown ? "▾" : "▸"}</span> {node.text}
      </button>
      {shown && !leaf && (
        <ul>
          {node.children.map((child, at) => <Branch key={at} node={child} span={span} point={point} />)}
        </ul>
      )}
    </li>
  );
}

/** A rule's text in parts: its name, what it finds in a sentence, how many thresholds it has. Pure. */
import { blocksOf, type Block } from "../ui/markdownBlocks";

export interface RuleParts {
  title: string;
  /** The first paragraph: what it finds. */
  finds: string;
  thresholds: number;
}

export function rulePartsOf(kind: string, text: string): RuleParts {
  const blocks = blocksOf(text);
  const title = blocks.find((block) => block.kind === "heading" && block.level === 1);
  const finds = blocks.find((block) => block.kind === "paragraph");
  return {
    title: title?.kind === "heading" ? title.text : kind.replaceAll("-", " "),
    finds: finds?.kind === "paragraph" ? finds.text : "",
    thresholds: blocks.filter(isThresholds).reduce((sum, block) => sum + block.rows.length, 0),
  };
}

/** Thresholds stand in tables of name, value and reason. */
function isThresholds(block: Block): block is Extract<Block, { kind: "table" }> {
  return block.kind === "table" && block.head.length === 3 && block.head[1] === "value";
}

/** The first lane: how long each instance of a finding lasted, named where there is room. */
import type { Finding } from "../api/types";
import { FINDINGS_HEIGHT } from "./laneLayout";
import type { Instance } from "./marks";
import type { Shape } from "./shapes";
import type { Tokens } from "./tokens";
import type { Selection } from "./urlState";

interface FindingRow {
  instances: readonly Instance[];
  findings: readonly Finding[];
  letters: ReadonlyMap<string, string>;
  selection: Selection | null;
  widthPx: number;
}

const TOP = 7;
const BAR_HEIGHT = FINDINGS_HEIGHT - 14;
const CHARACTER_PX = 7;

export function findingBars(row: FindingRow, x: (t: number) => number, tokens: Tokens): Shape[] {
  const chosen = row.instances.filter((instance) => isChosen(instance, row.selection));
  const others = row.instances.filter((instance) => !isChosen(instance, row.selection));
  const bars = [...stretches(others).map((one) => bar(one, false, x, tokens)), ...stretches(chosen).map((one) => bar(one, true, x, tokens))];
  return [...bars, ...names(row, chosen.length > 0 ? chosen : row.instances, x, tokens)];
}

const isChosen = (instance: Instance, selection: Selection | null): boolean =>
  selection !== null && instance.finding === selection.finding
  && (selection.instance === null || selection.instance === instance.instance);

/** Instances of one finding that overlap, as one: hundreds of thin fills above one another hide all of them. */
export function stretches(instances: readonly Instance[]): Instance[] {
  const joined: Instance[] = [];
  for (const one of [...instances].sort((a, b) => compare(a.finding, b.finding) || a.from - b.from)) {
    const last = joined.at(-1);
    if (last?.finding === one.finding && one.from <= last.to) joined[joined.length - 1] = { ...last, to: Math.max(last.to, one.to) };
    else joined.push(one);
  }
  return joined;
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function bar(instance: Instance, chosen: boolean, x: (t: number) => number, tokens: Tokens): Shape {
  const left = x(instance.from);
  const width = Math.max(x(instance.to) - left, 3);
  const colour = tokens.roles[instance.role];
  const frame: Shape = {
    type: "rect",
    shape: { x: left, y: TOP, width, height: BAR_HEIGHT, r: 4 },
    style: { fill: "none", stroke: colour, lineWidth: chosen ? 1.6 : 0.6, opacity: chosen ? 1 : 0.5 },
  };
  const fill: Shape = {
    type: "rect",
    shape: { x: left, y: TOP, width, height: BAR_HEIGHT, r: 4 },
    style: { fill: colour, opacity: chosen ? 0.14 : 0.06 },
  };
  return { type: "group", children: [fill, frame] };
}

/** One name a finding, at its first bar in view, if the finding's bars together are wide enough. */
function names(row: FindingRow, instances: readonly Instance[], x: (t: number) => number, tokens: Tokens): Shape[] {
  const named: Shape[] = [];
  let free = 0;
  for (const finding of row.findings) {
    const own = instances.filter((instance) => instance.finding === finding.id);
    if (own.length === 0) continue;
    const left = Math.max(Math.min(...own.map((one) => x(one.from))), free) + 8;
    const right = Math.min(Math.max(...own.map((one) => x(one.to))), row.widthPx);
    const number = row.selection?.finding === finding.id && row.selection.instance !== null ? ` · ${row.selection.instance} of ${finding.count}` : "";
    const text = `${row.letters.get(finding.id) ?? ""}  ${finding.title}${number}`;
    const room = Math.floor((right - left - 8) / CHARACTER_PX);
    if (room < 4) continue;
    const shown = text.length > room ? `${text.slice(0, room - 1)}…` : text;
    free = left + shown.length * CHARACTER_PX;
    named.push({
      type: "text",
      style: {
        text: shown, x: Math.max(left, 8), y: TOP + BAR_HEIGHT / 2, fill: tokens.text, textVerticalAlign: "middle",
        fontSize: 12, fontWeight: 600, stroke: tokens.surface, lineWidth: 3,
      },
    });
  }
  return named;
}

/** Groups of what the omnibox offers. Pure functions over what is known already. */
import type { Connection, Finding, Report } from "../api/types";
import { evidenceParameter } from "../findings/evidenceAddress";
import { lettersOf } from "../format/findingLetters";
import { offset } from "../format/offset";
import { count } from "../format/quantity";
import { stringifySearch } from "../format/searchString";
import { termsLike } from "../glossary/terms";
import type { Understood } from "./understand";

export interface Suggestion {
  id: string;
  title: string;
  hint: string;
  /** Where it leads; or what it does. Neither: it is there to be read. */
  href?: string;
  run?: () => void;
}

export interface Group {
  name: string;
  items: Suggestion[];
}

export interface Command {
  title: string;
  hint: string;
  href?: string;
  run?: () => void;
}

const SHOWN = 6;
const TERMS_SHOWN = 3;
/** Shown around a time that was asked for. */
const AROUND_NS = 100_000_000;

const holds = (text: string, words: string): boolean =>
  words.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));

export function findingGroup(asked: Understood, report: Report | null | undefined, page: string): Group {
  const findings = report?.findings ?? [];
  const letters = lettersOf(findings);
  const suited = (finding: Finding) =>
    letters.get(finding.id) === asked.letter || holds(`${finding.title} ${finding.summary} ${finding.kind}`, asked.words);
  const rank = (finding: Finding) => (letters.get(finding.id) === asked.letter ? 0 : 1);
  const items = findings.filter(suited).sort((a, b) => rank(a) - rank(b)).slice(0, SHOWN).map((finding) => ({
    id: `finding-${finding.id}`, title: `${letters.get(finding.id) ?? ""}  ${finding.title}`, hint: `${count(finding.count)} instances`,
    href: `${page}/findings/${encodeURIComponent(finding.id)}`,
  }));
  return { name: "Findings", items };
}

export function connectionGroup(asked: Understood, found: readonly Connection[], page: string): Group {
  const items = found.slice(0, SHOWN).map((each): Suggestion => ({
    id: `connection-${each.cid}`, title: `${each.client}:${each.client_port} → ${each.server}:${each.server_port}`,
    hint: each.connect_ms === null ? each.outcome : `${each.outcome}, ${each.connect_ms.toFixed(1)} ms`, href: `${page}/connections/${each.cid}`,
  }));
  if (asked.endpoint !== null) {
    const search = stringifySearch({ q: asked.endpoint });
    items.push(
      { id: "connections-of", title: `All connections of ${asked.endpoint}`, hint: "Connections", href: `${page}/connections${search}` },
      { id: "packets-of", title: `All packets of ${asked.endpoint}`, hint: "Packets", href: `${page}/packets${search}` },
    );
  }
  return { name: "Connections", items };
}

export function frameGroup(asked: Understood, report: Report | null | undefined, page: string): Group {
  const items: Suggestion[] = [];
  const { frame } = asked;
  if (frame !== null) {
    const files = (report?.inputs ?? []).filter((input) => input.packets >= frame.number && (frame.input === null || input.name.includes(frame.input)));
    for (const input of files.slice(0, SHOWN)) {
      const evidence = evidenceParameter({ input: input.name, kind: "frame", first: frame.number, last: frame.number });
      items.push({ id: `frame-${input.name}`, title: `#${frame.number} of ${input.name}`, hint: `1 of ${count(input.packets)} frames`, href: `${page}/packets${stringifySearch({ evidence })}` });
    }
  }
  if (asked.offset_ns !== null) {
    const w = `${asked.offset_ns - AROUND_NS / 2}~${AROUND_NS}`;
    const at = offset(asked.offset_ns);
    items.push(
      { id: "time-timeline", title: `Timeline around ${at}`, hint: "0.1 s in view", href: `${page}/timeline${stringifySearch({ w })}` },
      { id: "time-packets", title: `Packets around ${at}`, hint: "0.1 s", href: `${page}/packets${stringifySearch({ w })}` },
    );
  }
  return { name: "Frames", items };
}

export function filterGroup(asked: Understood, page: string): Group {
  const search = stringifySearch({ q: asked.words });
  const places: [string, string][] = [["packets", "Packets"], ["connections", "Connections"], ["timeline", "Timeline"]];
  const items = places.map(([path, name]) => ({
    id: `filter-${path}`, title: asked.words ? `Filter ${name.toLowerCase()} by ${asked.words}` : `Filter ${name.toLowerCase()}`, hint: name,
    href: `${page}/${path}${search}`,
  }));
  return { name: "Filter", items };
}

export function commandGroup(asked: Understood, commands: readonly Command[]): Group {
  const wanted = commands.filter((command) => holds(`${command.title} ${command.hint}`, asked.words));
  const items = wanted.map((command) => ({ id: `command-${command.title}`, ...command }));
  return { name: "Commands", items: asked.mode === "commands" ? items : items.slice(0, SHOWN) };
}

export function glossaryGroup(asked: Understood): Group {
  if (asked.mode !== "glossary" && asked.words === "") return { name: "Glossary", items: [] };
  const terms = termsLike(asked.words);
  const items = terms.map((term) => ({ id: `term-${term.name}`, title: term.name, hint: term.means }));
  return { name: "Glossary", items: asked.mode === "glossary" ? items : items.slice(0, TERMS_SHOWN) };
}

/** In the order they are shown; empty groups are left out. */
export function groupsFor(asked: Understood, groups: Record<"findings" | "connections" | "frames" | "filter" | "commands" | "glossary", Group>): Group[] {
  const byMode: Record<Understood["mode"], Group[]> = {
    all: [groups.findings, groups.frames, groups.connections, groups.commands, groups.glossary],
    commands: [groups.commands], filter: [groups.filter], glossary: [groups.glossary],
  };
  // What was named exactly stands first.
  const named = asked.frame !== null || asked.offset_ns !== null ? [groups.frames] : asked.endpoint !== null ? [groups.connections] : [];
  const ordered = asked.mode === "all" ? [...named, ...byMode.all.filter((group) => !named.includes(group))] : byMode[asked.mode];
  return ordered.filter((group) => group.items.length > 0);
}

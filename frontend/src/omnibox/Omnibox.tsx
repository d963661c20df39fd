/** The omnibox, with what the investigation around it knows; outside of one it offers commands and words. */
import { useDeferredValue, useMemo, useState } from "react";

import { useConnections, useReport } from "../api/queries";
import { useSource } from "../api/source";
import { useOverlay } from "../ui/overlays";
import { useCommands } from "./commands";
import { isAmong, tabHrefs } from "./places";
import { OmniboxDialog } from "./OmniboxDialog";
import {
  commandGroup, connectionGroup, filterGroup, findingGroup, frameGroup, glossaryGroup, groupsFor, type Group,
} from "./suggestions";
import { understand } from "./understand";

const NONE: Group = { name: "", items: [] };

/** `inInvestigation`: there is one around this component. */
export function Omnibox({ inInvestigation = false }: { inInvestigation?: boolean }) {
  const overlay = useOverlay();
  if (overlay?.name !== "omnibox") return null;
  return inInvestigation ? <InInvestigation first={overlay.text} /> : <Elsewhere first={overlay.text} />;
}

function Elsewhere({ first }: { first: string }) {
  const [text, setText] = useState(first);
  const commands = useCommands(null);
  const groups = useMemo(() => {
    const asked = understand(text);
    return groupsFor(asked, {
      findings: NONE, connections: NONE, frames: NONE, filter: NONE, commands: commandGroup(asked, commands), glossary: glossaryGroup(asked),
    });
  }, [commands, text]);
  return <OmniboxDialog text={text} onText={setText} groups={groups} />;
}

/** Without what a share does not show. */
function onlyAmong(page: string, groups: Group[]): Group[] {
  const hrefs = tabHrefs();
  return groups
    .map((group) => ({ ...group, items: group.items.filter((item) => !item.href || isAmong(item.href, page, hrefs)) }))
    .filter((group) => group.items.length > 0);
}

const CONNECTIONS_ASKED = 5;

function InInvestigation({ first }: { first: string }) {
  const source = useSource();
  const [text, setText] = useState(first);
  const report = useReport().data;
  const commands = useCommands(source);
  const asked = useMemo(() => understand(text), [text]);
  const endpoint = useDeferredValue(asked.endpoint);
  const answer = useConnections({ q: endpoint, limit: CONNECTIONS_ASKED, sort: "connect_ms", order: "desc" });
  const found = endpoint !== null && endpoint === asked.endpoint && !answer.isPlaceholderData ? answer.data?.items : undefined;
  const groups = useMemo(
    () => onlyAmong(source.page, groupsFor(asked, {
      findings: findingGroup(asked, report, source.page), connections: connectionGroup(asked, found ?? [], source.page),
      frames: frameGroup(asked, report, source.page), filter: filterGroup(asked, source.page),
      commands: commandGroup(asked, commands), glossary: glossaryGroup(asked),
    })),
    [asked, commands, found, report, source.page],
  );
  return <OmniboxDialog text={text} onText={setText} groups={groups} />;
}

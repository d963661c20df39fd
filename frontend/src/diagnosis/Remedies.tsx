/** Fixes, one tab for each setting they apply to. Always check, change, proof, undo, side effect, versions. */
import { Tabs } from "@mantine/core";

import type { Choice, Remedy } from "../api/types";
import { Command } from "../ui/CopyButton";
import { InlineCode } from "../ui/InlineCode";

/** Ids are made of it, and an id holds no space. */
const tabValue = (setting: string): string => setting.replace(/\s+/g, "-");

export function Remedies({ remedies }: { remedies: Remedy[] }) {
  const settings = [...new Set(remedies.map((remedy) => remedy.applies_to))];
  const first = settings[0];
  if (first === undefined) return <p className="dim">No fix is known.</p>;
  return (
    <Tabs className="remedies" defaultValue={tabValue(first)} keepMounted={false}>
      <Tabs.List>
        {settings.map((setting) => (
          <Tabs.Tab key={setting} value={tabValue(setting)}>
            {setting}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {settings.map((setting) => (
        <Tabs.Panel key={setting} value={tabValue(setting)} pt={10}>
          {remedies
            .filter((remedy) => remedy.applies_to === setting)
            .map((remedy) => (
              <RemedyRows key={remedy.what} remedy={remedy} />
            ))}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** A change that costs something either way is shown as what it is: two columns, no advice. */
function Sides({ choice }: { choice: Choice[] }) {
  if (!choice.length) return null;
  return (
    <div className="choice" data-testid="choice" role="group" aria-label="Trade-off: both options have a cost">
      {choice.map((side) => (
        <section key={side.setting} aria-label={side.setting}>
          <h4 className="mono">{side.setting}</h4>
          <p>
            <b>Gains</b> {side.gains}
          </p>
          <p>
            <b>Costs</b> {side.costs}
          </p>
        </section>
      ))}
    </div>
  );
}

function RemedyRows({ remedy }: { remedy: Remedy }) {
  const rows: [string, string, boolean][] = [
    ["Check", remedy.check, true],
    [remedy.changes ? "Change" : "Command", remedy.command ?? "", true],
    ["Proof", remedy.proof, false],
    ["Undo", remedy.undo, false],
    ["Side effect", remedy.side_effect, false],
    ["Versions", remedy.versions ?? "", false],
  ];
  return (
    <div className="remedy">
      <p className="remedy-what"><InlineCode text={remedy.what} /></p>
      {remedy.condition && <p data-testid="remedy-condition"><b>Only where</b> <InlineCode text={remedy.condition} /></p>}
      <Sides choice={remedy.choice} />
      <dl>
        {rows
          .filter(([, text]) => text !== "")
          .map(([name, text, isCommand]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{isCommand ? <Command text={text} label={name} /> : text}</dd>
            </div>
          ))}
      </dl>
    </div>
  );
}

/** Fixes, one tab for each setting they apply to. Always check, change, proof, undo, side effect, versions. */
import { Tabs } from "@mantine/core";

import type { Remedy } from "../api/types";
import { Command } from "../ui/CopyButton";

export function Remedies({ remedies }: { remedies: Remedy[] }) {
  const settings = [...new Set(remedies.map((remedy) => remedy.applies_to))];
  const first = settings[0];
  if (first === undefined) return <p className="dim">No fix is known.</p>;
  return (
    <Tabs defaultValue={first} keepMounted={false}>
      <Tabs.List>
        {settings.map((setting) => (
          <Tabs.Tab key={setting} value={setting}>
            {setting}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {settings.map((setting) => (
        <Tabs.Panel key={setting} value={setting} pt={10}>
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

function RemedyRows({ remedy }: { remedy: Remedy }) {
  const rows: [string, string, boolean][] = [
    ["Check", remedy.check, true],
    ["Change", remedy.command ?? "", true],
    ["Proof", remedy.proof, false],
    ["Undo", remedy.undo, false],
    ["Side effect", remedy.side_effect, false],
    ["Versions", remedy.versions ?? "unknown; run uname -r", false],
  ];
  return (
    <div className="remedy">
      <p className="remedy-what">{remedy.what}</p>
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

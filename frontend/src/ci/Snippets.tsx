/** What to put into a pipeline, with the token that was just made: shown once, like the token. */
import { useState } from "react";

import { CopyButton } from "../ui/CopyButton";
import { SNIPPETS, settingsText } from "./snippets";

export function Snippets({ token }: { token: string }) {
  const [system, setSystem] = useState(SNIPPETS[0]?.system ?? "");
  const chosen = SNIPPETS.find((each) => each.system === system) ?? SNIPPETS[0];
  if (!chosen) return null;
  const settings = settingsText(window.location.origin, token);
  return (
    <section className="snippets" aria-label="For your pipeline" data-testid="snippets">
      <label className="field snippet-choice">
        <span>Your pipeline</span>
        <select className="input" value={chosen.system} onChange={(event) => setSystem(event.target.value)}>
          {SNIPPETS.map((each) => <option key={each.system}>{each.system}</option>)}
        </select>
      </label>
      <Text title={`1. ${chosen.settings}`} text={settings} />
      <Text title={`2. Into ${chosen.file}`} text={chosen.text} />
    </section>
  );
}

function Text({ title, text }: { title: string; text: string }) {
  return (
    <>
      <div className="snippet-head"><h3>{title}</h3><CopyButton text={text} /></div>
      <pre className="snippet mono" tabIndex={0} aria-label={title}>{text}</pre>
    </>
  );
}

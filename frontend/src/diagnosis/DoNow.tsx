/** What to do first: fix it, confirm it, or ask whoever can change it. */
import type { Diagnosis, DoNow as DoNowPart, Remedy } from "../api/types";
import { Command } from "../ui/CopyButton";
import { InlineCode } from "../ui/InlineCode";

const WORDS: Record<DoNowPart["action"], string> = { fix: "Fix", confirm: "Confirm", ask: "Ask" };
const LABELS: Record<DoNowPart["action"], string> = { fix: "Command of the fix", confirm: "Command that reads", ask: "Command" };

export function DoNow({ diagnosis }: { diagnosis: Diagnosis }) {
  const first = diagnosis.do_now;
  if (!first) return null;
  const remedy = diagnosis.remedies.find((each) => first.action === "fix" && each.command !== null && each.command === first.command);
  return (
    <div className="do-now" data-testid="do-now" data-action={first.action}>
      <h2>Do now</h2>
      <div>
        <p className="do-now-what">
          <b className="do-now-action">{WORDS[first.action]}</b> <span data-testid="do-now-what"><InlineCode text={first.what} /></span>
          {first.applies_to && <span className="dim"> · {first.applies_to}</span>}
        </p>
        {first.command && <Command text={first.command} label={LABELS[first.action]} />}
        {remedy && <Notes remedy={remedy} />}
      </div>
    </div>
  );
}

function Notes({ remedy }: { remedy: Remedy }) {
  const notes = [["Undo", remedy.undo], ["Side effect", remedy.side_effect], ["Needs", remedy.versions ?? ""]].filter(([, text]) => text);
  return <p className="dim do-now-notes">{notes.map(([name, text]) => <span key={name}><b>{name}</b> {text}</span>)}</p>;
}

/** Detection rule: the rules of the detectors behind a diagnosis, with their thresholds, on demand. */
import { useState } from "react";

import { useDetectorRules } from "../api/queries";
import { Markdown } from "../ui/Markdown";
import { Region } from "../ui/Region";

export function HowRecognized({ kinds }: { kinds: string[] }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="link-button" aria-expanded={open} onClick={() => setOpen(!open)}>
        Detection rule
      </button>
      {open && <Rules kinds={kinds} />}
    </>
  );
}

function Rules({ kinds }: { kinds: string[] }) {
  const query = useDetectorRules();
  return (
    <Region label="Rules" query={query}>
      {(rules) => (
        <>
          {rules
            .filter((rule) => kinds.includes(rule.kind))
            .map((rule) => (
              <article key={rule.kind} className="rule" data-testid="rule">
                <Markdown text={rule.rule} />
              </article>
            ))}
        </>
      )}
    </Region>
  );
}

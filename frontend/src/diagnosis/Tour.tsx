/** A tour of one finding for people who see the first one: five steps, each tied to an element of the page, dismissed for good by Esc. */
import { useEffect, useState } from "react";

import { changeSettings, useSettings } from "../settings/settings";
import "./tour.css";

interface TourStep {
  selector: string;
  title: string;
  text: string;
}

const STEPS: TourStep[] = [
  { selector: "[data-testid=claim]", title: "The claim", text: "One sentence: the cause, how many connections or requests it affected, and where." },
  { selector: ".verdict-line", title: "How certain it is", text: "Confirmed, Likely or Possible, by rules. Evidence and Alternatives say what supports it and what else was considered." },
  { selector: "[data-claim=statement] .evidence-links", title: "The proof", text: "Each link opens the frame or the line of a dump that the claim is made of." },
  { selector: "[data-testid=do-now]", title: "What to do", text: "A change that fixes it, or the command that would confirm it, with its undo and side effects." },
  { selector: "nav.tabs a[href*='timeline']", title: "When it happened", text: "The timeline draws each instance: the packet that is absent, its retransmission, and the winner." },
];
const TARGET = "tour-target";

export function Tour() {
  const { tour } = useSettings();
  const [at, setAt] = useState<number | null>(null);
  const step = !tour || at === null ? null : (STEPS[at] ?? null);
  const end = () => changeSettings({ tour: false });
  useEffect(() => {
    const target = step === null ? null : document.querySelector(step.selector);
    target?.classList.add(TARGET);
    target?.scrollIntoView({ block: "nearest" });
    return () => target?.classList.remove(TARGET);
  }, [step]);
  useEffect(() => {
    if (step === null) return undefined;
    const leave = (event: KeyboardEvent) => { if (event.key === "Escape") end(); };
    window.addEventListener("keydown", leave);
    return () => window.removeEventListener("keydown", leave);
  }, [step]);
  if (!tour) return null;
  return (
    <section className={step === null ? "card tour" : "card tour tour-running"} aria-label="Tour" data-testid="tour">
      {step === null ? <p>First finding? {STEPS.length} steps show how to read it.</p> : (
        <p aria-live="polite"><b>{(at ?? 0) + 1} of {STEPS.length}: {step.title}.</b> {step.text}</p>
      )}
      <span className="tour-buttons">
        {at !== null && at > 0 && <button type="button" className="button" onClick={() => setAt(at - 1)}>Back</button>}
        {at === null || at < STEPS.length - 1
          ? <button type="button" className="button" onClick={() => setAt(at === null ? 0 : at + 1)}>{at === null ? "Start tour" : "Next step"}</button>
          : <button type="button" className="button" onClick={end}>End tour</button>}
        {at !== STEPS.length - 1 && <button type="button" className="plain-button" onClick={end}>Dismiss</button>}
      </span>
    </section>
  );
}

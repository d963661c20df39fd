/** What is wrong with a filter: the place underlined, what may have been meant, and whether tshark may know it. */
import type { ReactNode } from "react";

import { Problem } from "../api/http";

export interface FilterMistake {
  sentence: string;
  at: number;
  length: number;
  didYouMean: string[];
  /** It may be Wireshark's own language. */
  wireshark: boolean;
}

/** The mistake that a refused request names; null for another failure. */
export function mistakeOf(error: Error | null): FilterMistake | null {
  if (!(error instanceof Problem) || typeof error.members.at !== "number") return null;
  const { at, length, did_you_mean: meant, wireshark } = error.members;
  return {
    sentence: error.message, at: at as number, length: typeof length === "number" ? length : 1,
    didYouMean: Array.isArray(meant) ? meant.filter((each): each is string => typeof each === "string") : [], wireshark: wireshark === true,
  };
}

interface FilterProblemProps {
  text: string;
  mistake: FilterMistake;
  send: (text: string) => void;
  /** There are rows of a filter before. */
  kept: boolean;
  /** Stands behind the sentence. */
  offer?: ReactNode;
}

export function FilterProblem({ text, mistake, send, kept, offer }: FilterProblemProps) {
  const { at, length } = mistake;
  return (
    <div id="packet-filter-problem" role="alert" className="packet-filter-problem">
      <code className="mono">{text.slice(0, at)}<mark>{text.slice(at, at + length) || "␣"}</mark>{text.slice(at + length)}</code>{" "}
      {mistake.sentence}{" "}
      {mistake.didYouMean.length > 0 && (
        <span>
          Did you mean{" "}
          {mistake.didYouMean.map((each, index) => (
            <span key={each}>
              {index > 0 && ", "}
              <button type="button" className="link-button mono" onClick={() => send(text.slice(0, at) + each + text.slice(at + length))}>{each}</button>
            </span>
          ))}
          ?{" "}
        </span>
      )}
      {kept && "The rows of the previous filter are still shown."} {offer}
    </div>
  );
}

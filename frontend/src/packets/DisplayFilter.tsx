/** A Wireshark display filter at work: how far tshark is, called off, or what it says is wrong. */
import { isUnderWay, type Look } from "../api/looks";
import { count, plural } from "../format/quantity";
import { FilterProblem } from "./FilterProblem";

interface DisplayFilterProps {
  text: string;
  look: Look | undefined;
  error: Error | null;
  again: () => void;
  cancel: () => void;
  send: (text: string) => void;
}

export function DisplayFilter({ text, look, error, again, cancel, send }: DisplayFilterProps) {
  if (error) return <p role="alert">{error.message} <button type="button" className="link-button" onClick={again}>Try again</button></p>;
  if (!look || isUnderWay(look)) {
    return (
      <p className="display-filter" role="status">
        tshark reads {look && look.total > 1 ? `file ${look.done + 1} of ${look.total}` : "the capture"}: {plural(look?.packets ?? 0, "packet")} so far. The rows of the previous filter are still shown.{" "}
        {look && <button type="button" className="link-button" onClick={cancel}>Cancel</button>}
      </p>
    );
  }
  if (look.state === "done") return <p className="display-filter dim" role="status">Filtered by tshark: {count(look.packets)} found. <button type="button" className="link-button" onClick={() => send("")}>Clear</button></p>;
  if (look.state === "cancelled") return <p className="display-filter" role="status">Canceled. <button type="button" className="link-button" onClick={again}>Run again</button></p>;
  if (look.at !== null) return <FilterProblem text={text} mistake={{ sentence: look.problem, at: look.at, length: look.length ?? 1, didYouMean: [], wireshark: false }} send={send} kept />;
  return <p role="alert" className="packet-filter-problem">{look.problem} <button type="button" className="link-button" onClick={again}>Try again</button></p>;
}

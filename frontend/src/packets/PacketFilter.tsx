/** The filter of the packets page: Wireshark's names, fields to choose from, the place of a mistake marked. */
import { useEffect, useState } from "react";

import { FIELDS, type FilterProblem } from "./packetFilter";

interface PacketFilterProps {
  text: string;
  problem: FilterProblem | null;
  /** What the server says of a filter it cannot answer. */
  refused: string | null;
  send: (text: string) => void;
}

export function PacketFilter({ text, problem, refused, send }: PacketFilterProps) {
  const [draft, setDraft] = useState(text);
  useEffect(() => setDraft(text), [text]);
  const wrong = problem !== null || refused !== null;
  const add = (example: string) => {
    const joined = draft.trim() ? `${draft.trim()} && ${example}` : example;
    setDraft(joined);
    send(joined);
  };
  return (
    <form
      className="packet-filter" role="search"
      onSubmit={(event) => {
        event.preventDefault();
        send(draft.trim());
      }}
    >
      <label className="field">
        <span>Filter</span>
        <input
          className="input mono" type="search" value={draft} aria-invalid={wrong} aria-describedby={wrong ? "packet-filter-problem" : undefined}
          placeholder="tcp.flags.syn == 1 && ip.addr == 10.0.0.1, or part of an address and port" onChange={(event) => setDraft(event.target.value)}
        />
      </label>
      <label className="field">
        <span>Add</span>
        <select className="input" value="" aria-label="Add a comparison" onChange={(event) => event.target.value && add(event.target.value)}>
          <option value="">comparison …</option>
          {FIELDS.map((field) => <option key={field.name} value={field.example}>{field.name}: {field.why}</option>)}
        </select>
      </label>
      <button type="submit" className="button">Filter</button>
      {text && <button type="button" className="button" onClick={() => send("")}>Clear</button>}
      {wrong && (
        <p id="packet-filter-problem" role="alert" className="packet-filter-problem">
          {problem && <code className="mono">{text.slice(0, problem.at)}<mark>{text.slice(problem.at, problem.at + problem.length) || "␣"}</mark>{text.slice(problem.at + problem.length)}</code>}{" "}
          {problem?.why ?? refused} The rows of the filter before are still shown.
        </p>
      )}
    </form>
  );
}

/** The base and the candidate, kept in the address. */
import { ago } from "../format/quantity";
import type { Investigation } from "../api/types";
import { useSetParameters } from "../ui/RouteLink";

interface Choice {
  investigations: Investigation[];
  base: string;
  candidate: string;
}

export function ChooseTwo({ investigations, base, candidate }: Choice) {
  const set = useSetParameters();
  return (
    <div className="compare-choice">
      <Side name="Base (before)" investigations={investigations} chosen={base} other={candidate} choose={(id) => set({ a: id }, "push")} />
      <button type="button" className="button" disabled={!base && !candidate} onClick={() => set({ a: candidate, b: base }, "push")}>
        <span aria-hidden="true">⇄</span> Swap
      </button>
      <Side name="Candidate (after)" investigations={investigations} chosen={candidate} other={base} choose={(id) => set({ b: id }, "push")} />
    </div>
  );
}

interface SideProps {
  name: string;
  investigations: Investigation[];
  chosen: string;
  /** Nothing is compared with itself. */
  other: string;
  choose: (id: string) => void;
}

function Side({ name, investigations, chosen, other, choose }: SideProps) {
  const listed = investigations.some((each) => each.id === chosen);
  return (
    <label className="field">
      <span>{name}</span>
      <select className="input" value={chosen} onChange={(event) => choose(event.target.value)}>
        <option value="">choose …</option>
        {chosen && !listed && <option value={chosen}>{chosen}</option>}
        {investigations.map((each) => (
          <option key={each.id} value={each.id} disabled={each.id === other}>
            {each.label} · {ago(each.created)}{each.analysis === "finished" ? "" : " · not finished"}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Groups of samples that were held together, one row each: the list beside the chart, and what a reader hears. */
import type { HeldGroup } from "../api/roundTrips";
import { offset } from "../format/offset";
import { count, plural } from "../format/quantity";
import { groupName } from "./buildOption";
import { ms, pairWords } from "./words";

interface GroupTableProps {
  groups: readonly HeldGroup[];
  total: number;
  selected: string | null;
  onPick: (group: HeldGroup) => void;
}

const SHOWN = 200;
const NS_PER_MS = 1e6;

export function GroupTable({ groups, total, selected, onPick }: GroupTableProps) {
  const shown = groups.slice(0, SHOWN);
  return (
    <div className="facts-scroll" tabIndex={0} role="region" aria-label="Batches of delayed responses">
      <table className="facts rtt-groups" data-testid="rtt-groups">
        <caption className="visually-hidden">{plural(total, "group")} of responses that were delayed and released together</caption>
        <thead>
          <tr>
            <th>group</th><th className="number">began (s)</th><th className="number">lasted</th><th>from → to</th><th className="number">responses</th>
            <th className="number">longest</th><th className="number">slope (ms/ms)</th><th className="number">released within</th><th>direction</th><th>kinds</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((group, at) => {
            const name = groupName(group);
            return (
              <tr key={name} aria-selected={name === selected} data-testid="rtt-group" data-group={name} data-from={group.t} data-to={group.t_end} data-samples={group.samples} data-longest={group.longest_ms}>
                <td><button type="button" className="link-button" aria-pressed={name === selected} onClick={() => onPick(group)}>{at + 1}</button></td>
                <td className="number">{offset(group.t, 6).replace(" s", "")}</td>
                <td className="number">{ms((group.t_end - group.t) / NS_PER_MS)}</td>
                <td className="mono">{pairWords(group)}</td>
                <td className="number">{count(group.samples)}</td>
                <td className="number">{ms(group.longest_ms)}</td>
                <td className="number">{group.slope === null ? "–" : group.slope.toFixed(3).replace("-", "−")}</td>
                <td className="number">{group.answers_within_ms === null ? "–" : ms(group.answers_within_ms)}</td>
                <td>{group.direction}</td>
                <td>{group.kinds.join(", ")}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {total > shown.length && <p className="dim">The first {count(shown.length)} of {count(total)}; narrow the window to see others.</p>}
    </div>
  );
}

/** Window, filter and selection of the address as chips: the one place to clear them. */
import { readTime, useClock, type Clock } from "../format/clock";
import { duration } from "../format/quantity";
import { useAddress, useSetParameters } from "../ui/RouteLink";

interface Chip {
  parameter: string;
  name: string;
  value: string;
}

function windowWords(text: string, clock: Clock): string | null {
  const match = /^(-?\d+)~(\d+)$/.exec(text);
  if (!match) return null;
  return `${readTime(Number(match[1]), clock, 6)}, ${duration(Number(match[2]) / 1e9)} long`;
}

export function chipsOf(parameters: Record<string, string>, clock: Clock): Chip[] {
  const chips: Chip[] = [];
  const window = windowWords(parameters.w ?? "", clock);
  if (window) chips.push({ parameter: "w", name: "window", value: window });
  if (parameters.q) chips.push({ parameter: "q", name: "filter", value: parameters.q });
  const [finding, instance] = (parameters.sel ?? "").split("~");
  if (finding) {
    const which = instance ? `${finding}, instance ${instance}` : finding;
    chips.push({ parameter: "sel", name: "selection", value: which });
  }
  return chips;
}

export function ContextBar() {
  const { parameters } = useAddress();
  const setParameters = useSetParameters();
  const chips = chipsOf(parameters, useClock());
  if (!chips.length) return null;
  return (
    <div className="context-bar" role="region" aria-label="Window, filter and selection">
      {chips.map((chip) => (
        <span key={chip.parameter} className="chip">
          {chip.name} <b>{chip.value}</b>
          <button
            type="button"
            className="plain-button"
            aria-label={`Clear ${chip.name}`}
            onClick={() => setParameters({ [chip.parameter]: null }, "push")}
          >
            ✕
          </button>
        </span>
      ))}
    </div>
  );
}

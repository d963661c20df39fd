/** What the states of a comparison are called, and how two investigations are put side by side. */
import type { Comparison, Outcome, State } from "../api/comparisons";
import type { Analysis } from "../api/types";

export type Gate = "pass" | "fail" | "not finished" | "undecided";

export const GATE_GLYPHS: Record<Gate, string> = { pass: "✔", fail: "✖", "not finished": "…", "undecided": "?" };

/** Something that got worse fails, also where other things got better. */
const GATES: Record<Outcome, Gate> = { worse: "fail", mixed: "fail", better: "pass", same: "pass", "cannot-tell": "undecided" };

/** What a pipeline is told; nothing where there is nothing to compare with. */
export function gateOf(analysis: Analysis | null, outcome: Outcome | undefined): Gate | null {
  if (analysis !== "finished") return "not finished";
  return outcome ? GATES[outcome] : null;
}

/** In the order in which they are shown: what matters first. */
const STATES: { state: State; title: string }[] = [
  { state: "new", title: "New" },
  { state: "worse", title: "Worse" },
  { state: "cannot-tell", title: "Undecided" },
  { state: "gone", title: "Gone" },
  { state: "better", title: "Better" },
  { state: "same", title: "Unchanged" },
];

export const stateWord = (state: State): string => STATES.find((each) => each.state === state)?.title ?? state;

/** Things by their state, empty states left out. */
export function byState<Change extends { state: State }>(changes: Change[]): { title: string; changes: Change[] }[] {
  return STATES.map(({ state, title }) => ({ title, changes: changes.filter((change) => change.state === state) })).filter(
    (group) => group.changes.length > 0,
  );
}

export const QUANTITIES: Record<Comparison["waits"][number]["quantity"] | Comparison["shares"][number]["quantity"], string> = {
  connect_time: "Time to connect",
  rtt: "Round-trip time",
  service_time: "Service time",
  sent_again: "SYN retransmissions",
  unopened: "Connections that never opened",
};

/** A run's own page, with what it was compared with. */
export const runPage = (run: string, base: string | null): string => (base ? `/i/${run}?baseline=${base}` : `/i/${run}`);

export const comparePage = (base: string, candidate: string): string => `/compare?a=${base}&b=${candidate}`;

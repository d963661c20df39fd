/** The view's state in the address: `w=<from_ns>~<dur_ns> sel= by= lanes= pin= more= lens= z= q= only= r= tab= t=`. Other keys are left alone. */
import type { TimeWindow } from "./timeWindow";
import { MIN_DURATION_NS } from "./timeWindow";

/** What is selected: a finding, one instance of it, one mark of that instance. */
export interface Selection {
  finding: string;
  instance: number | null;
  mark: string | null;
}

/** What a lane is: a vantage point (where packets were captured), connections of one kind, or a pod's connections. */
export type LaneGrouping = "capture" | "connection" | "pod";

export type TableTab = "marks" | "packets" | "connections" | "notes";

export interface ViewState {
  /** Null: the default window, decided once the data are known. */
  window: TimeWindow | null;
  selection: Selection | null;
  grouping: LaneGrouping;
  /** Ids of the lanes shown; empty shows all. */
  lanes: string[];
  /** Ids of lanes that stand at the top, in this order. */
  pinned: string[];
  /** Whether lanes beyond those there is room for are shown, too. */
  moreLanes: boolean;
  /** Whether long stretches without marks are folded. */
  folded: boolean;
  /** What the lens shows; null: it is closed. */
  lens: TimeWindow | null;
  /** Text that marks and rows must contain. */
  filter: string;
  /** Whether marks without that text are taken out; else they are faded. */
  onlyMatching: boolean;
  /** Stretch the tables are narrowed to; null: they follow the window. */
  range: TimeWindow | null;
  tab: TableTab;
  asTable: boolean;
}

export type Parameters = Record<string, string>;

export function readView(parameters: Parameters): ViewState {
  const { tab, by } = parameters;
  return {
    window: readWindow(parameters["w"]),
    selection: readSelection(parameters["sel"]),
    grouping: by === "connection" || by === "pod" ? by : "capture",
    lanes: readLanes(parameters["lanes"]),
    pinned: readLanes(parameters["pin"]),
    moreLanes: parameters["more"] === "1",
    folded: parameters["z"] === "1",
    lens: readWindow(parameters["lens"]),
    filter: parameters["q"] ?? "",
    onlyMatching: parameters["only"] === "1",
    range: readWindow(parameters["r"]),
    tab: tab === "packets" || tab === "connections" || tab === "notes" ? tab : "marks",
    asTable: parameters["t"] === "1",
  };
}

/** What a view writes into the address; null removes a parameter. */
export function viewParameters(view: ViewState): Record<string, string | null> {
  return {
    w: view.window === null ? null : writeWindow(view.window),
    sel: view.selection === null ? null : writeSelection(view.selection),
    by: view.grouping === "capture" ? null : view.grouping,
    lanes: view.lanes.join("~") || null,
    pin: view.pinned.join("~") || null,
    lens: view.lens === null ? null : writeWindow(view.lens),
    more: view.moreLanes ? "1" : null,
    z: view.folded ? "1" : null,
    q: view.filter || null,
    only: view.onlyMatching ? "1" : null,
    r: view.range === null ? null : writeWindow(view.range),
    tab: view.tab === "marks" ? null : view.tab,
    t: view.asTable ? "1" : null,
  };
}

/** More groups than this are asked for only to be opened, chosen or pinned. */
const GROUPS_AT_FIRST = 12;

/** What the server is asked for: capture points come all, groups as many as are shown. */
export function lanesAsked(view: ViewState): { group?: "connection" | "pod"; lanes?: number } {
  if (view.grouping === "capture") return {};
  const some = !view.moreLanes && view.pinned.length === 0 && view.lanes.length === 0;
  return { group: view.grouping, ...(some ? { lanes: GROUPS_AT_FIRST } : {}) };
}

const readLanes = (text: string | undefined): string[] => (text ?? "").split("~").filter((lane) => lane !== "");

export const writeWindow = (w: TimeWindow): string => `${w.fromNs}~${w.durationNs}`;

function readWindow(text: string | undefined): TimeWindow | null {
  const parts = /^(-?\d{1,16})~(\d{1,16})$/.exec(text ?? "");
  if (parts === null) return null;
  const durationNs = Number(parts[2]);
  if (durationNs < MIN_DURATION_NS) return null;
  return { fromNs: Number(parts[1]), durationNs };
}

function readSelection(text: string | undefined): Selection | null {
  const [finding, instance, ...mark] = (text ?? "").split("~");
  if (!finding) return null;
  const number = /^[1-9]\d{0,8}$/.test(instance ?? "") ? Number(instance) : null;
  return { finding, instance: number, mark: mark.join("~") || null };
}

function writeSelection(selection: Selection): string {
  const parts = [selection.finding, selection.instance === null ? "" : String(selection.instance), selection.mark ?? ""];
  return parts.join("~").replace(/~+$/, "");
}

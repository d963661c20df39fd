/** The view's state in the address: `w=<from_ns>~<dur_ns> sel= lanes= pin= lens= q= r= tab= t=`. Other keys are left alone. */
import type { TimeWindow } from "./timeWindow";
import { MIN_DURATION_NS } from "./timeWindow";

/** What is selected: a finding, one instance of it, one mark of that instance. */
export interface Selection {
  finding: string;
  instance: number | null;
  mark: string | null;
}

export type TableTab = "marks" | "packets" | "connections" | "notes";

export interface ViewState {
  /** Null: the default window, decided once the data are known. */
  window: TimeWindow | null;
  selection: Selection | null;
  /** Ids of the lanes shown; empty shows all. */
  lanes: string[];
  /** Ids of lanes that stand at the top, in this order. */
  pinned: string[];
  /** What the lens shows; null: it is closed. */
  lens: TimeWindow | null;
  /** Text that marks and rows must contain. */
  filter: string;
  /** Stretch the tables are narrowed to; null: they follow the window. */
  range: TimeWindow | null;
  tab: TableTab;
  asTable: boolean;
}

export type Parameters = Record<string, string>;

export function readView(parameters: Parameters): ViewState {
  const { tab } = parameters;
  return {
    window: readWindow(parameters["w"]),
    selection: readSelection(parameters["sel"]),
    lanes: readLanes(parameters["lanes"]),
    pinned: readLanes(parameters["pin"]),
    lens: readWindow(parameters["lens"]),
    filter: parameters["q"] ?? "",
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
    lanes: view.lanes.join("~") || null,
    pin: view.pinned.join("~") || null,
    lens: view.lens === null ? null : writeWindow(view.lens),
    q: view.filter || null,
    r: view.range === null ? null : writeWindow(view.range),
    tab: view.tab === "marks" ? null : view.tab,
    t: view.asTable ? "1" : null,
  };
}

const readLanes = (text: string | undefined): string[] => (text ?? "").split("~").filter((lane) => lane !== "");

export const writeWindow = (w: TimeWindow): string => `${w.fromNs}~${w.durationNs}`;

export function readWindow(text: string | undefined): TimeWindow | null {
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

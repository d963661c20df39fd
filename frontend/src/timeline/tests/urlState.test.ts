import { expect, it } from "vitest";

import { readView, viewParameters, type ViewState } from "../urlState";

const VIEW: ViewState = {
  window: { fromNs: 269_925_888, durationNs: 1_135_000_000 },
  selection: { finding: "f-1", instance: 3, mark: "f-1.12" },
  grouping: "pod",
  lanes: ["a.pcapng#0", "nat"],
  pinned: ["nat"],
  moreLanes: true,
  folded: true,
  lens: { fromNs: 269_999_000, durationNs: 12_000 },
  filter: "10.244.35.28",
  onlyMatching: true,
  range: { fromNs: 5_000, durationNs: 2_000 },
  tab: "packets",
  asTable: true,
};

const strings = (parameters: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null));

it("reads back what it wrote", () => {
  expect(readView(strings(viewParameters(VIEW)))).toEqual(VIEW);
});

it("ignores what it does not understand", () => {
  const view = readView({ w: "yesterday~1", by: "colour", z: "yes", only: "0", sel: "~2", tab: "hex", unknown: "1", r: "5~1" });
  expect(view).toEqual({ window: null, selection: null, grouping: "capture", lanes: [], pinned: [], moreLanes: false, folded: false, lens: null, filter: "", onlyMatching: false, range: null, tab: "marks", asTable: false });
});

it("stays far below 1,800 characters", () => {
  expect(new URLSearchParams(strings(viewParameters(VIEW))).toString().length).toBeLessThan(300);
});

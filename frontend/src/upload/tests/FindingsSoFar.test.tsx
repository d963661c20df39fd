import { MantineProvider } from "@mantine/core";
import { act, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import type { FindingSoFar } from "../../api/types";
import { FindingsSoFar, splitByShown } from "../FindingsSoFar";

const finding = (id: string): FindingSoFar => ({
  id, kind: "kind", severity: "warning", title: `Title of ${id}`, role: "loss", count: 3, time_lost_s: 1.5,
});

const shown = () => screen.queryAllByTestId("finding-so-far").map((row) => row.textContent.split("3 ")[0]);
const view = (ids: string[], total = ids.length) => (
  <MantineProvider>
    <FindingsSoFar progress={{ findings_so_far: total, found_so_far: ids.map(finding) }} />
  </MantineProvider>
);

test("the first ones are shown at once, later ones wait for a click and come below", () => {
  const page = render(view(["b"]));
  expect(shown()).toEqual(["Title of b"]);
  expect(screen.queryByTestId("show-new-findings")).toBeNull();
  page.rerender(view(["b", "a", "c"]));
  expect(shown()).toEqual(["Title of b"]);
  const more = screen.getByTestId("show-new-findings");
  expect(more.textContent).toBe("2 new findings · show");
  act(() => more.click());
  expect(shown()).toEqual(["Title of b", "Title of a", "Title of c"]);
  expect(screen.queryByTestId("show-new-findings")).toBeNull();
});

test("each one is marked as being so far, with its count and its time", () => {
  render(view(["a"]));
  expect(screen.getByTestId("finding-so-far").textContent).toContain("3 instances · 1.5 s lost");
  expect(screen.getByTestId("finding-so-far").textContent).toContain("so far");
});

test("those beyond the ones that are listed are counted", () => {
  const page = render(view(["a"], 2));
  expect(screen.getByTestId("findings-so-far").textContent).toContain("1 more finding will be in the report");
  page.rerender(view(["a"], 1));
  expect(screen.getByTestId("findings-so-far").textContent).not.toContain("more finding");
});

test("findings of another run are all new", () => {
  const found = [finding("a"), finding("b")];
  expect(splitByShown(found, new Set(["z"]))).toEqual({ visible: found, waiting: [] });
  expect(splitByShown(found, new Set(["b"]))).toEqual({ visible: [found[1]], waiting: [found[0]] });
});

import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import type { Report } from "../../api/types";
import { NotUsed } from "../NotUsed";

function report(names: string[], total: number): Report {
  return { not_used: names.map((name) => ({ name, why: "not a capture" })), not_used_total: total } as Report;
}

test("lists the files that are no evidence with the reason", () => {
  render(<NotUsed report={report(["node/notes.md", "node/a.png"], 2)} />);
  const shown = screen.getByTestId("not-used");
  expect(shown.textContent).toContain("2 files not used");
  expect(shown.textContent).toContain("node/a.pngnot a capture");
  expect(shown.textContent).not.toContain("more");
});

test("counts those that are not listed", () => {
  render(<NotUsed report={report(["a"], 1500)} />);
  expect(screen.getByTestId("not-used").textContent).toContain("and 1,499 more");
});

test("is not there where every file was used, or while there is no report", () => {
  for (const nothing of [report([], 0), null, undefined]) {
    const { container } = render(<NotUsed report={nothing} />);
    expect(container.textContent).toBe("");
  }
});

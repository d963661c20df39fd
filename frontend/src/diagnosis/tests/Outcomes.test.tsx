/** What failed is shown in numbers; "Nothing was found" is said only where nothing failed. */
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Outcome, Report } from "../../api/types";
import { Outcomes, anyHarm } from "../Outcomes";

const part = (failed: number, slow: number) =>
  ({
    what: "requests",
    total: 12,
    failed,
    slow,
    slow_from_s: 0.5,
    by_outcome: [
      { outcome: "answered", count: 12 - failed, failed: false, evidence: [] },
      ...(failed ? [{ outcome: "server-error", count: failed, failed: true, evidence: [] }] : []),
    ],
    slowest: [],
    by_destination: failed ? [{ destination: "192.0.2.1:80", total: 4, failed }] : [],
  }) as Outcome;

describe("Outcomes", () => {
  it("shows how many failed, how, and where", () => {
    render(<Outcomes outcomes={[part(3, 0)]} />);
    expect(screen.getByText("HTTP requests")).toBeTruthy();
    expect(screen.getByText(/3 server error/)).toBeTruthy();
    expect(screen.getByText("3 of 4 to 192.0.2.1:80 failed")).toBeTruthy();
  });

  it("is absent without any", () => {
    const { container } = render(<Outcomes outcomes={[]} />);
    expect(container.innerHTML).toBe("");
  });

  it.each([
    [0, 0, false],
    [1, 0, true],
    [0, 1, true],
  ])("with %i failed and %i slow there is harm: %s", (failed, slow, harm) => {
    expect(anyHarm({ outcomes: [part(failed, slow)] } as unknown as Report)).toBe(harm);
  });
});

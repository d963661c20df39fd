import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { CollapsedLanes } from "../LaneBackdrop";
import { layoutLanes } from "../laneLayout";
import { sampleLane } from "./sampleTimeline";

const NONE = { lanes: 0, findings: 0 };
const LANES = Array.from({ length: 19 }, (_, n) => sampleLane({ id: `lane ${n}`, findings: n < 12 || n > 15 ? [n > 15 ? "f-1" : "f-2"] : [], captured: n < 18, packets_total: n < 18 ? 5 : 0 }));

test("lanes there is no room for are counted, with their findings and what nobody captured, and open on request", () => {
  const toggle = vi.fn();
  render(<CollapsedLanes geometry={layoutLanes(LANES, 500)} left={NONE} open={false} toggle={toggle} />);
  fireEvent.click(screen.getByRole("button", { name: "+7 lanes, 1 finding, 1 not captured" }));
  expect(toggle).toHaveBeenCalledTimes(1);
});

test("with as many lanes as there is room for nothing is said", () => {
  const { container } = render(<CollapsedLanes geometry={layoutLanes(LANES.slice(0, 12), 500)} left={NONE} open={false} toggle={vi.fn()} />);
  expect(container.textContent).toBe("");
});

test("lanes that the server kept to itself count, and stay told once the others are open", () => {
  const { rerender } = render(<CollapsedLanes geometry={layoutLanes(LANES.slice(0, 12), 500)} left={{ lanes: 92, findings: 0 }} open={false} toggle={vi.fn()} />);
  expect(screen.getByRole("button").textContent).toBe("+92 lanes, 0 findings");
  rerender(<CollapsedLanes geometry={layoutLanes(LANES, 500, { all: true })} left={{ lanes: 44, findings: 0 }} open toggle={vi.fn()} />);
  expect(screen.getByText("+44 lanes, 0 findings").tagName).toBe("SPAN");
  expect(screen.getByRole("button").textContent).toBe("show the main lanes only");
});

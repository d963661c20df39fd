import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";

import type { Account } from "../../api/types";
import { AccountLine } from "../AccountLine";

const ACCOUNT: Account = {
  threshold_s: 0.9, delayed: 124, time_lost_s: 131.6, unexplained: 4, unexplained_time_lost_s: 4.1,
  explained: [{ cause: "some-cause", title: "Some cause", count: 120, time_lost_s: 127.5 }],
  unexplained_by: [{ cause: "unknown", title: "Cause not established", count: 3, time_lost_s: 3.1 }, { cause: "undecided", title: "Undecided between causes", count: 1, time_lost_s: 1 }],
  unexplained_evidence: [{ input: "node.pcap", frames: [7, 9], lines: [], note: "" }],
};

async function show(account: Account) {
  const root = createRootRoute({ component: () => <AccountLine account={account} /> });
  render(<RouterProvider router={createRouter({ routeTree: root, history: createMemoryHistory() })} />);
  return screen.findByTestId("account");
}

test("says how many waited, how many are explained, and links the frames of the rest", async () => {
  const shown = await show(ACCOUNT);
  expect(shown.textContent).toContain("124 connections waited 0.9 s or more: 120 explained, 4 not.");
  expect(within(shown).getByTestId("unexplained").querySelectorAll("a[data-evidence]")).toHaveLength(2);
  expect(within(shown).getByTestId("unexplained-by").textContent).toBe("3 Cause not established1 Undecided between causes");
});

test("is silent where no connection waited: the trouble is of another unit", () => {
  const { container } = render(<AccountLine account={{ ...ACCOUNT, delayed: 0, unexplained: 0, explained: [], unexplained_evidence: [], unexplained_by: [] }} />);
  expect(container.textContent).toBe("");
});

import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, test, vi } from "vitest";

import { mistakeNumber } from "../Boundary";
import { EmptyFilter } from "../EmptyFilter";
import { Region } from "../Region";
import { RegionStateProvider, type RegionState } from "../regionState";

const answer = <Data,>(data: Data) => ({ data, error: null, isPending: false, isFetching: false, refetch: () => undefined });

function show(node: ReactNode, state: RegionState = { stale: null, partial: null }) {
  return render(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient()}>
        <RegionStateProvider value={state}>{node}</RegionStateProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );
}

test("an older analysis says by which rules, and offers to analyse again; regions inside do not repeat it", () => {
  const again = vi.fn();
  show(
    <Region label="outer" query={answer(1)}>{() => <Region label="inner" query={answer(2)}>{() => "two"}</Region>}</Region>,
    { stale: { was: "1.4", now: "1.6", again, busy: false }, partial: null },
  );
  expect(screen.getAllByTestId("stale")).toHaveLength(1);
  expect(screen.getByTestId("stale").textContent).toContain("Analyzed with rules 1.4, now 1.6");
  fireEvent.click(screen.getByRole("button", { name: "re-run analysis" }));
  expect(again).toHaveBeenCalledOnce();
});

test("those who may only read are not offered to analyse again", () => {
  show(<Region label="x" query={answer(1)}>{() => "one"}</Region>, { stale: { was: "1", now: "2", busy: false }, partial: null });
  expect(screen.getByTestId("stale")).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

test("while an analysis runs it is said how much is decoded and what was found so far", () => {
  show(<Region label="x" query={answer(1)}>{() => "one"}</Region>, { stale: null, partial: { done_ratio: 0.425, overall_ratio: 0.5, findings: 2 } });
  expect(screen.getByTestId("partial").textContent).toBe("decoded 42 % · 2 findings so far");
});

let broken = true;

function Fragile() {
  if (broken) throw new Error("no such column");
  return <p>fine</p>;
}

test("a mistake of ours stays in its region, has a number, and the rest works", () => {
  const silence = vi.spyOn(console, "error").mockImplementation(() => undefined);
  show(
    <>
      <Region label="Marks" query={answer(1)}>{() => <Fragile />}</Region>
      <Region label="Rest" query={answer(1)}>{() => <p>the rest</p>}</Region>
    </>,
  );
  expect(screen.getByTestId("mistake").textContent).toContain(`error ${mistakeNumber(new Error("no such column"))}`);
  expect(screen.getByText("the rest")).toBeTruthy();
  broken = false;
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(screen.getByText("fine")).toBeTruthy();
  silence.mockRestore();
});

test("the same mistake has the same number, another one another", () => {
  expect(mistakeNumber(new Error("a"))).toBe(mistakeNumber(new Error("a")));
  expect(mistakeNumber(new Error("a"))).not.toBe(mistakeNumber(new TypeError("a")));
  expect(mistakeNumber(new Error("a"))).toMatch(/^[0-9a-f]{6}$/);
});

test("a filter that leaves nothing names what comes nearest: the fewest that are some", async () => {
  const apply = vi.fn();
  const near = (without: string, found: number) => ({ without, key: without, count: () => Promise.resolve(found), apply: () => apply(without) });
  show(<EmptyFilter what="packets" total={13_545} filter="a && b && c" clear={() => undefined} near={[near("a", 0), near("b", 53), near("c", 900)]} />);
  const nearest = await screen.findByRole("button", { name: /nearest/ });
  expect(screen.getByTestId("empty-filter").textContent).toContain("0 of 13,545 packets match a && b && c");
  expect(nearest.textContent).toBe("nearest: 53 match without b");
  fireEvent.click(nearest);
  expect(apply).toHaveBeenCalledWith("b");
});

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, waitFor } from "@testing-library/react";
import { createElement } from "react";
import { expect, test } from "vitest";

import { refresh, useLiveProgress } from "../liveProgress";
import { ownSource, SourceProvider } from "../source";
import type { Progress } from "../types";

function progress(analysis: Progress["analysis"], stage: number, found = 0): Progress {
  return { analysis, stage: { number: stage, of: 6, name: "detecting" }, findings_so_far: found } as Progress;
}

/** Which of an investigation's answers are asked for again. */
async function askedAgain(before: Progress, now: Progress): Promise<string[]> {
  const queries = new QueryClient();
  for (const name of ["report", "packets", "progress"]) queries.setQueryData(["i", name], 1);
  queries.setQueryData(["other", "packets"], 1);
  refresh(queries, "i", before, now);
  await new Promise((resolve) => setTimeout(resolve));
  return queries.getQueryCache().findAll({ predicate: (query) => query.state.isInvalidated }).map((query) => query.queryKey.join(" "));
}

test("a new stage asks for what it may have written, but not for the report, which it cannot", async () => {
  expect(await askedAgain(progress("running", 3), progress("running", 4))).toEqual(["i packets"]);
});

test("the end asks for the report too", async () => {
  for (const end of ["finished", "failed", "cancelled"] as const) {
    expect(await askedAgain(progress("running", 6), progress(end, 6))).toEqual(["i report", "i packets"]);
  }
});

test("another finding within a stage asks for nothing: the progress holds it", async () => {
  expect(await askedAgain(progress("running", 5, 1), progress("running", 5, 2))).toEqual([]);
});

function Watching() {
  useLiveProgress();
  return null;
}

test("where the investigation is the first to say that it is over, its report is asked for, too", async () => {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  const source = ownSource("i-1");
  const isAskedAgain = () => queries.getQueryState([source.key, "report"])?.isInvalidated;
  queries.setQueryData([source.key, "investigation"], { analysis: "running" });
  queries.setQueryData([source.key, "progress"], progress("running", 6));
  queries.setQueryData([source.key, "report"], null);
  const watching = createElement(SourceProvider, { value: source }, createElement(Watching));
  render(createElement(QueryClientProvider, { client: queries }, watching));
  queries.setQueryData([source.key, "report"], null);
  expect(isAskedAgain()).toBe(false);
  queries.setQueryData([source.key, "investigation"], { analysis: "finished" });
  await waitFor(() => expect(isAskedAgain()).toBe(true));
});

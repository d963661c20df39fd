import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";

import { refresh } from "../liveProgress";
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

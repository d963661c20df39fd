import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";

import { ownSource, SourceProvider } from "../../api/source";
import type { Diagnosis, Finding } from "../../api/types";
import { DiagnosisCard } from "../DiagnosisCard";

const EVIDENCE = [{ input: "node.pcap", frames: [7, 9], lines: [], note: "" }];

function diagnosis(changes: Partial<Diagnosis> = {}): Diagnosis {
  return {
    id: "some-cause-1", cause: "some-cause", title: "Some cause", confidence: 0.95, verdict: "confirmed", statement: "2 of 9 waited.",
    role: "loss",
    claims: [
      { role: "step", text: "It left.", evidence: EVIDENCE },
      { role: "for", text: "It never came.", evidence: EVIDENCE },
    ],
    rivals: [{ cause: "other", title: "", status: "cannot-tell", because: "no dump", command: "conntrack -S" }],
    findings: ["f-1"], supporting: [], contradicting: [], missing: [], remedies: [], references: [],
    refutation: "a lost packet seen behind it would refute it", time_lost_s: 2, attempts_explained: 0, figures: [], impact: null, do_now: null, ...changes,
  };
}

const FINDING: Finding = {
  id: "f-1", kind: "some-kind", severity: "critical", confidence: 1, title: "Lost", summary: "", count: 2, first: null,
  last: null, time_lost_s: 2, measures: {}, affected: [], events: [], evidence: EVIDENCE, tables: [], marks: [], role: "loss", marks_total: 0, instances: 0, frames_total: 2,
};

async function show(shown: Diagnosis) {
  const analyzed = { version: "1", created: "2026-11-21T00:00:00Z" };
  const root = createRootRoute({
    component: () => (
      <SourceProvider value={ownSource("i-1")}>
        <DiagnosisCard diagnosis={shown} findings={[FINDING]} analyzed={analyzed} />
      </SourceProvider>
    ),
  });
  const router = createRouter({ routeTree: root, history: createMemoryHistory() });
  render(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return screen.findByTestId("diagnosis");
}

describe("a diagnosis in full", () => {
  test("has its eight sections in order", async () => {
    const card = await show(diagnosis());
    const numbers = [...card.querySelectorAll("[data-section]")].map((part) => part.getAttribute("data-section"));
    expect(numbers).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
  });

  test("links every claim to its evidence", async () => {
    const card = await show(diagnosis());
    const claims = [...card.querySelectorAll("[data-claim]")];
    expect(claims).toHaveLength(3);
    for (const claim of claims) expect(claim.querySelector("a[data-evidence]")).not.toBeNull();
  });

  test("says what would refute it when nothing speaks against it", async () => {
    const card = await show(diagnosis());
    expect(within(card).getByTestId("against").textContent).toContain("would refute it");
  });

  test("shows what speaks against it instead when something does", async () => {
    const against = { role: "against" as const, text: "One was seen behind it.", evidence: EVIDENCE };
    const card = await show(diagnosis({ claims: [...diagnosis().claims, against] }));
    const text = within(card).getByTestId("against").textContent;
    expect(text).toContain("One was seen behind it.");
    expect(text).not.toContain("would refute it");
  });

  test("gives the command that decides about a rival nobody can tell", async () => {
    const card = await show(diagnosis());
    const rival = within(card).getByTestId("rival");
    expect(rival.textContent).toContain("undecided");
    expect(rival.textContent).toContain("conntrack -S");
  });
});

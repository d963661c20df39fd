import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { ownSource, SourceProvider } from "../../api/source";
import type { Progress } from "../../api/types";
import { RunningAnalysis } from "../RunningAnalysis";

const source = ownSource("one");

const progress = (updated: string): Progress => ({
  analysis: "running", stage: { number: 3, of: 6, name: "decode" }, findings_so_far: 2, found_so_far: [], message: "", updated,
  files: [{
    id: "1", name: "node.pcap", kind: "capture", format: "pcap", size_bytes: 2_000_000, sha256: null, status: "decoding", stage: { number: 3, of: 6, name: "decode" },
    packets: 4_400_000, bytes_done: 1_000_000, rate_packets_s: 310_000, warnings: [], error: null, lines: 0, lines_not_understood: 0, not_understood_at: [], holds_credentials: false, uploaded_sha256: null,
  }],
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function show() {
  const queries = new QueryClient();
  queries.setQueryData([source.key, "progress"], progress("t1"));
  render(
    <MantineProvider>
      <QueryClientProvider client={queries}><SourceProvider value={source}><RunningAnalysis /></SourceProvider></QueryClientProvider>
    </MantineProvider>,
  );
  return queries;
}

test("a file shows its stage of six, bytes, packets and rate, and findings stream in", () => {
  show();
  const text = screen.getByTestId("running").textContent;
  for (const part of ["stage 3 of 6", "1.0 MB of 2.0 MB", "4,400,000 packets", "310,000 packets/s", "2 findings so far", "1 file: 1 being read"]) expect(text).toContain(part);
});

test("a worker that is silent for 60 s is reported, and no more once there is news", () => {
  const queries = show();
  act(() => void vi.advanceTimersByTime(59_900));
  expect(screen.queryByTestId("silent")).toBeNull();
  act(() => void vi.advanceTimersByTime(200));
  expect(screen.getByTestId("silent").textContent).toContain("No progress for 60 s");
  act(() => {
    queries.setQueryData([source.key, "progress"], progress("t2"));
    vi.advanceTimersByTime(10);
  });
  expect(screen.queryByTestId("silent")).toBeNull();
});

import { afterEach, expect, test } from "vitest";

import type { EvidenceFile, Progress } from "../../api/types";
import { decodedRatio, overallRatio } from "../investigationState";
import { showProgressInTab } from "../progressInTab";

const file = (changes: Partial<EvidenceFile>): EvidenceFile => ({
  id: "1", name: "a.pcap", kind: "capture", format: null, size_bytes: 1000, sha256: null, status: "decoding", stage: { number: 1, of: 6, name: "receive" }, packets: 0, bytes_done: 0,
  rate_packets_s: null, warnings: [], error: null, lines: 0, lines_not_understood: 0, not_understood_at: [], holds_credentials: false, uploaded_sha256: null, ...changes,
});

const progress = (number: number, name: string, files: EvidenceFile[]): Progress => ({
  analysis: "running", stage: { number, of: 6, name }, files, findings_so_far: 0, found_so_far: [], message: "", updated: "",
});

afterEach(() => showProgressInTab(null));

test("decoding is measured in bytes of the captures; dumps do not count", () => {
  const files = [file({ status: "decoded", bytes_done: 10 }), file({ bytes_done: 500 }), file({ kind: "dump", size_bytes: 9_000 })];
  expect(decodedRatio({ files })).toBe(0.75);
  expect(decodedRatio({ files: [file({})] })).toBeNull();
  expect(decodedRatio({ files: [file({ bytes_done: 5000 })] })).toBe(1);
});

test("the whole goes by the bytes that are read, then by stages; it never says that it is over", () => {
  expect(overallRatio(progress(1, "upload", [file({ status: "uploading", bytes_done: 900 })]))).toBe(0);
  expect(overallRatio(progress(1, "upload", [file({ status: "decoded" }), file({ status: "stored" })]))).toBeCloseTo(1.5 / 6);
  expect(overallRatio(progress(3, "decode", [file({ bytes_done: 500 })]))).toBeCloseTo(1.5 / 6);
  expect(overallRatio(progress(3, "decode", [file({ status: "failed" })]))).toBeCloseTo(3 / 6);
  expect(overallRatio(progress(4, "join", [file({ status: "decoded" })]))).toBeCloseTo(3 / 6);
  expect(overallRatio(progress(5, "detect", [file({ bytes_done: 500 })]))).toBeCloseTo(4 / 6);
  expect(overallRatio(progress(7, "done", []))).toBe(0.99);
});

test("the tab carries the progress, and is given back afterwards", () => {
  document.head.innerHTML = '<link rel="icon" href="/icon.svg">';
  const icon = document.querySelector("link");
  showProgressInTab(0.427);
  expect(document.title).toMatch(/^42 %/);
  expect(icon?.href).toContain("data:image/svg+xml");
  showProgressInTab(null);
  expect(document.title).not.toContain("%");
  expect(icon?.getAttribute("href")).toBe("/icon.svg");
});

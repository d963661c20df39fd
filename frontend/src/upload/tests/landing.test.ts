import { expect, test } from "vitest";

import { fileCountWords, furthestStage } from "../fileCounts";
import { landingOf, type UploadOutcome } from "../landing";
import { bundleName } from "../UploadsProvider";

const GIVEN = { id: "ab", since_ms: 1000, fresh: false };
const of = (...states: UploadOutcome["status"][]): UploadOutcome[] => states.map((status) => ({ status }));

test("who waits on the page Files is taken to the verdict, who went elsewhere is shown the way", () => {
  expect(landingOf("/i/ab/files", GIVEN, of("done"), "finished", 1000)).toBe("go");
  for (const path of ["/i/ab/timeline", "/", "/i/cd/files"]) expect(landingOf(path, GIVEN, of("done"), "finished", 1000)).toBe("banner");
  expect(landingOf("/i/ab", GIVEN, of("done"), "finished", 1000)).toBe("over");
});

test("nobody is moved while something is under way, or by the answer of the analysis before", () => {
  for (const status of ["sending", "waiting", "stopped"] as const) expect(landingOf("/i/ab/files", GIVEN, of("done", status), "finished", 2000)).toBe("wait");
  for (const analysis of ["queued", "running", null, undefined]) expect(landingOf("/i/ab/files", GIVEN, of("done"), analysis, 2000)).toBe("wait");
  expect(landingOf("/i/ab/files", GIVEN, of("done"), "finished", 999)).toBe("wait");
});

test("a failed analysis and a refused file stay where their reasons stand", () => {
  for (const analysis of ["failed", "cancelled"]) expect(landingOf("/i/ab/files", GIVEN, of("done"), analysis, 2000)).toBe("over");
  expect(landingOf("/i/ab/files", GIVEN, of("done", "refused"), "finished", 2000)).toBe("banner");
  expect(landingOf("/i/ab/files", GIVEN, of("refused"), null, 2000)).toBe("over");
  expect(landingOf("/i/ab/files", { ...GIVEN, fresh: true }, of("refused", "refused"), null, 2000)).toBe("discard");
  expect(landingOf("/i/ab/files", { ...GIVEN, fresh: true }, of("refused", "sending"), null, 2000)).toBe("wait");
});

test("after a reload nothing is known of the uploads, and the answer is waited for all the same", () => {
  expect(landingOf("/i/ab/files", GIVEN, [], "finished", 2000)).toBe("go");
  expect(landingOf("/i/ab/files", { ...GIVEN, fresh: true }, [], null, 2000)).toBe("wait");
});

test("a bundle names its investigation, several files do not", () => {
  expect(bundleName(["node-7.tar.gz"])).toBe("node-7");
  expect(bundleName(["a.b.ZIP"])).toBe("a.b");
  expect(bundleName(["node-7.pcap.gz"])).toBeNull();
  expect(bundleName(["a.zip", "b.zip"])).toBeNull();
  expect(bundleName([])).toBeNull();
});

test("files are counted by how far they are, and the stage is the furthest one's until they share one", () => {
  const file = (status: "decoded" | "stored" | "decoding" | "failed", number: number) => ({ status, stage: { number, of: 6, name: `s${number}` } });
  const files = [...Array.from({ length: 12 }, () => file("decoded", 3)), file("stored", 1), file("stored", 1), file("decoding", 3), file("failed", 2)];
  expect(fileCountWords(files)).toBe("16 files: 12 read, 1 being read, 1 not readable, 2 waiting");
  expect(fileCountWords([file("decoded", 3)])).toBe("1 file: 1 read");
  const slowest = { number: 1, of: 6, name: "upload" };
  expect(furthestStage({ stage: slowest, files: files as never })?.name).toBe("s3");
  expect(furthestStage({ stage: { number: 5, of: 6, name: "detect" }, files: files as never })?.name).toBe("detect");
});

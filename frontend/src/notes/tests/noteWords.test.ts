import { describe, expect, test } from "vitest";

import type { Note } from "../../api/notes";
import type { Diagnosis } from "../../api/types";
import { markAt } from "../../timeline/hitTest";
import { layoutLanes } from "../../timeline/laneLayout";
import { linearAxis } from "../../timeline/timeAxis";
import { sampleTimeline } from "../../timeline/tests/sampleTimeline";
import { disagreementsWith, marksOfNotes, signature, wordsOfTime } from "../noteWords";

const NOTE: Note = {
  id: "n", kind: "disagreement", text: "no", author: "", created: "2026-11-21T14:05:00Z", from: null, to: null, lane: "", finding: "", cause: "some-cause", diagnosis: "", may_delete: false,
};
const DIAGNOSIS = { id: "", cause: "some-cause", findings: ["f-1"] } as Diagnosis;

describe("notes", () => {
  test("a disagreement belongs to one diagnosis, also where another has the same cause and finding", () => {
    const notes = [{ ...NOTE, diagnosis: "some-cause-2", finding: "f-1" }];
    expect(disagreementsWith({ ...DIAGNOSIS, id: "some-cause-2" }, notes)).toEqual(notes);
    expect(disagreementsWith({ ...DIAGNOSIS, id: "some-cause-1" }, notes)).toEqual([]);
  });

  test("in a report without ids it belongs to its cause, and to its finding where it names one", () => {
    const notes = [
      NOTE, { ...NOTE, id: "f", finding: "f-1" }, { ...NOTE, id: "other", finding: "f-2" },
      { ...NOTE, id: "cause", cause: "other-cause" }, { ...NOTE, id: "plain", kind: "note" as const },
    ];
    expect(disagreementsWith(DIAGNOSIS, notes).map((note) => note.id)).toEqual(["n", "f"]);
  });

  test("are signed, also by nobody", () => {
    expect(signature({ ...NOTE, author: "ann" })).toBe("ann, 2026-11-21 14:05 UTC");
    expect(signature(NOTE)).toBe("somebody, 2026-11-21 14:05 UTC");
  });

  test("say what time they are about", () => {
    expect(wordsOfTime({ from: 1_000_000_000, to: null })).toMatch(/^At \+1\.0+ s\.$/);
    expect(wordsOfTime({ from: 1_000_000_000, to: 1_003_000_000 })).toMatch(/^From \+1\.0+ s for 3/);
    expect(wordsOfTime({})).toBe("");
  });

  test("are hit at either of their lines, not between them", () => {
    const marks = marksOfNotes([{ ...NOTE, kind: "note", from: 500_000_000, to: 1_500_000_000 }]);
    const geometry = layoutLanes(sampleTimeline().lanes, 1000);
    const hit = (x: number) => markAt(marks, geometry, linearAxis({ fromNs: 0, durationNs: 2_000_000_000 }, 1000), x, 60)?.id ?? null;
    expect([250, 500, 750, 262].map(hit)).toEqual(["note:n", null, "note:n", null]);
  });
});

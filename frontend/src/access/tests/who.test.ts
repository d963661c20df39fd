import { describe, expect, test } from "vitest";

import { isOpenPage, isStranger, refusedWords, type Who } from "../who";

const who: Who = { required: true, password: true, provider: "", kind: "nobody", name: "", role: "", may: ["open"], may_change_password: false };

describe("who may see what", () => {
  test.each(["/s/3f2a", "/s/3f2a/timeline", "/detectors", "/detectors/port-reuse", "/capture"])("%s asks nobody", (path) => {
    expect(isOpenPage(path)).toBe(true);
  });
  test.each(["/", "/settings", "/i/3f2a", "/sign-in", "/share", "/ci", "/i/s/"])("%s does", (path) => {
    expect(isOpenPage(path)).toBe(false);
  });
  test("only who is unknown where one has to be known is a stranger", () => {
    expect(isStranger(who)).toBe(true);
    expect(isStranger({ ...who, kind: "member" })).toBe(false);
    expect(isStranger({ ...who, required: false, kind: "local" })).toBe(false);
    expect(isStranger(undefined)).toBe(false);
  });
  test("what the address says is never shown as it stands", () => {
    expect(refusedWords(undefined)).toBe("");
    expect(refusedWords("blocked")).toContain("blocked");
    expect(refusedWords("<b>call me</b>")).toBe(refusedWords("failed"));
  });
});

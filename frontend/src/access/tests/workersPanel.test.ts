import { expect, it } from "vitest";

import { confinementWords } from "../WorkersPanel";

it("names what a machine does not offer", () => {
  expect(confinementWords([])).toBe("Complete");
  expect(confinementWords(["Landlock", "seccomp"])).toBe("Not available: Landlock, seccomp");
});

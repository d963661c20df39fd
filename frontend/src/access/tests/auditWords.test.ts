import { expect, it } from "vitest";

import { actorWords } from "../auditWords";
import { whereAllowed } from "../rights";
import type { Investigation } from "../../api/types";

it("names who acted", () => {
  expect(actorWords({ actor_kind: "member", actor_name: "ann", actor_id: "1" })).toBe("ann");
  expect(actorWords({ actor_kind: "token", actor_name: "nightly", actor_id: "1" })).toBe("token nightly");
  expect(actorWords({ actor_kind: "link", actor_name: "", actor_id: "ab" })).toBe("link ab");
  expect(actorWords({ actor_kind: "local", actor_name: "", actor_id: "" })).toBe("local user");
});

it("disables what the server would refuse, with the reason", () => {
  const found = { may: ["change"] } as unknown as Investigation;
  expect(whereAllowed(found, "change")).toEqual({ disabled: false });
  expect(whereAllowed(found, "share").disabled).toBe(true);
  expect(whereAllowed(found, "share").title).toContain("owner or an admin");
  expect(whereAllowed(undefined, "change").disabled).toBe(true);
});

import { expect, test } from "vitest";

import { commandOf, investigationOf, type Pressed } from "../globalKeys";

const press = (key: string, changes: Partial<Pressed> = {}): Pressed => ({ key, ctrl: false, alt: false, writing: false, covered: false, ...changes });
const TABS = ["/i/abc", "/i/abc/timeline", "/i/abc/files", "/s/abc", "/s/abc/packets"];
const OWN = "/i/abc/packets";

test("Ctrl K opens the omnibox everywhere: in a field, in a dialog, and with single keys off", () => {
  expect(commandOf(press("k", { ctrl: true, writing: true, covered: true }), "/", false, false, TABS)).toEqual({ do: "omnibox" });
  expect(commandOf(press("k"), "/", false, true, TABS)).toBeNull();
});

test("single keys rest in fields, behind dialogs, with Ctrl, and when they were turned off", () => {
  for (const changes of [{ writing: true }, { covered: true }, { ctrl: true }, { alt: true }]) {
    expect(commandOf(press("?", changes), OWN, false, true, TABS)).toBeNull();
  }
  expect(commandOf(press("?"), OWN, false, false, TABS)).toBeNull();
  expect(commandOf(press("?"), OWN, false, true, TABS)).toEqual({ do: "keys" });
});

test("G and a letter lead to a page of the investigation", () => {
  expect(commandOf(press("g"), OWN, false, true, TABS)).toEqual({ do: "wait" });
  expect(commandOf(press("t"), OWN, true, true, TABS)).toEqual({ do: "go", path: "/i/abc/timeline" });
  expect(commandOf(press("o"), OWN, true, true, TABS)).toEqual({ do: "go", path: "/i/abc" });
  expect(commandOf(press("z"), OWN, true, true, TABS)).toEqual({ do: "nothing" });
  expect(commandOf(press("g"), "/", false, true, TABS)).toBeNull();
});

test("what has no tab is no place to go to", () => {
  expect(commandOf(press("f"), "/s/abc/timeline", true, true, TABS)).toEqual({ do: "nothing" });
  expect(commandOf(press("p"), "/s/abc/timeline", true, true, TABS)).toEqual({ do: "go", path: "/s/abc/packets" });
});

test("on the timeline its own keys keep their meaning", () => {
  expect(commandOf(press("]"), "/i/abc/timeline", false, true, TABS)).toBeNull();
  expect(commandOf(press("]"), "/i/abc/connections/7", false, true, TABS)).toEqual({ do: "step", rel: "next" });
  expect(commandOf(press("y"), "/i/abc/timeline", false, true, TABS)).toBeNull();
});

test("on the page of round trips the brackets are the chart's, the link's key stays", () => {
  expect(commandOf(press("]"), "/i/abc/rtt", false, true, TABS)).toBeNull();
  expect(commandOf(press("["), "/s/abc/rtt", false, true, TABS)).toBeNull();
  expect(commandOf(press("y"), "/i/abc/rtt", false, true, TABS)).toEqual({ do: "link" });
});

test("an investigation is known by its address", () => {
  expect(investigationOf("/i/abc/findings/x")).toEqual({ page: "/i/abc" });
  expect(investigationOf("/s/abc")).toEqual({ page: "/s/abc" });
  expect(investigationOf("/settings")).toBeNull();
});

import { expect, test } from "vitest";

import { columnSentence, plainSentences } from "../plainWords";
import { TERMS, termsIn, termsLike } from "../terms";

const namesIn = (text: string) => termsIn(text).map((found) => found.term.name);

test("the longest spelling wins, each term counts once, capitals count in abbreviations", () => {
  expect(namesIn("A SYN-ACK answers the SYN; another SYN does not")).toEqual(["SYN-ACK", "SYN"]);
  expect(namesIn("the ack of a syn")).toEqual([]);
  expect(namesIn("Retransmissions over the Bridge")).toEqual(["retransmission", "bridge"]);
});

test("a term inside another word is none", () => expect(namesIn("SYNful nodepool conntrack-S eth01")).toEqual([]));

test("places lead back to the text", () => {
  const text = "no [NEW] for its SYN on eth0";
  for (const found of termsIn(text)) expect(text.slice(found.at, found.at + found.text.length)).toBe(found.text);
});

test("each sentence is about a term that was not explained yet, as long as there is one", () => {
  const [first, second, third, none] = plainSentences(["a SYN on eth0", "that SYN on eth0", "SYN", "nothing of the kind"]);
  expect(first).toMatch(/^SYN is/);
  expect(second).toMatch(/uplink/);
  expect(third).toBe(first);
  expect(none).toBeNull();
});

test("meanings are sentences of at most two lines, and no name stands twice", () => {
  const names = TERMS.flatMap((term) => [term.name, ...term.also].map((name) => name.toLowerCase()));
  expect(new Set(names).size).toBe(names.length);
  for (const term of TERMS) {
    expect(term.means.length, term.name).toBeLessThanOrEqual(110);
    expect(term.means, term.name).toMatch(/^\S.*\.$/);
  }
});

test("asking for a word finds it before texts that mention it", () => {
  expect(termsLike("syn")[0]?.name).toBe("SYN");
  expect(termsLike("masq")[0]?.name).toBe("SNAT");
  expect(termsLike("zzz")).toEqual([]);
});

test("a column is explained by its name, else by what the table says, else not at all", () => {
  expect(columnSentence("Lane")).toBe("vantage point");
  expect(columnSentence("mystery", "what it is")).toBe("what it is");
  expect(columnSentence("mystery")).toBeNull();
});

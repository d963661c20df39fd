import { expect, test } from "vitest";

import { refusalReason } from "../tusUpload";
import { labelFor } from "../UploadsProvider";

function refused(body: string, status = 415) {
  return Object.assign(new Error("tus"), { originalResponse: { getStatus: () => status, getBody: () => body } });
}

test("the server's own sentence is shown", () => {
  expect(refusalReason(refused('{"title":"Unknown","detail":"This is a Word document."}'))).toBe("This is a Word document.");
});

test("an answer that is no problem document still gives a reason", () => {
  expect(refusalReason(refused("<html>", 502))).toContain("502");
});

test("no answer says that it can be taken up again", () => {
  expect(refusalReason(Object.assign(new Error("offline"), { originalResponse: null }))).toContain("can be resumed");
});

test("an investigation is named after its files", () => {
  expect(labelFor(["node-7.pcap"])).toBe("node-7.pcap");
  expect(labelFor(["a.pcap", "b.pcap", "c.txt"])).toBe("a.pcap and 2 more");
});

import { expect, test } from "vitest";

import type { ChartContent, ChartView } from "../buildOption";
import { layoutLanes } from "../laneLayout";
import { timelinePicture } from "../picture";
import { escapeXml, svgOf, svgOfLayer } from "../../pictures/svg";
import { linearAxis } from "../timeAxis";
import { sampleLane, sampleMark, sampleTimeline } from "./sampleTimeline";

const ROLES = { loss: "#f00", stall: "#541", burst: "#00f", collision: "#e0e", ok: "#0a0", neutral: "#777" };
const TOKENS = { surface: "#fff", text: "#111", textDim: "#666", line: "#ddd", roles: ROLES, roleTexts: ROLES };
const WORDS = { title: "A SYN retransmissions <to> \"x\" & y", facts: "window +0 s", legend: ["✖ missing 1"], source: "Stallscope" };

function picture(lanes: number): Document {
  const starts = Array.from({ length: 1200 }, (_, at) => at * 1_600_000);
  const base = sampleTimeline();
  const all = Array.from({ length: lanes }, (_, n) => ({ ...sampleLane({ id: n === 0 ? "near" : `l${n}` }), start: starts, packets: starts.map((_, at) => (at * 7) % 40), bytes: [], syns: [] }));
  const timeline = sampleTimeline({ lanes: [...all, sampleLane({ id: "far" }), sampleLane({ id: "blind", captured: false, packets_total: 0, start: [], packets: [], bytes: [], syns: [] })], marks: [...base.marks, sampleMark({ id: "z", t: 9_000_000, label: "<script>alert(1)</script>\u0000" })] });
  const view: ChartView = { axis: linearAxis({ fromNs: 0, durationNs: 2_000_000_000 }, 1048), geometry: layoutLanes(timeline.lanes, 1048), selection: null, currentMark: null, filter: "" };
  const content: ChartContent = { timeline, overview: timeline, findings: [], findingRows: { rows: [], more: 0 }, letters: new Map(), marks: timeline.marks, chosen: new Set() };
  const text = timelinePicture(view, content, TOKENS, [{ t: 0, label: "+0 s" }], WORDS);
  expect(text.length).toBeLessThanOrEqual(80_000);
  return new DOMParser().parseFromString(text, "image/svg+xml");
}

test("the picture is one SVG with title, ruler, lanes, window and source, and what was captured runs in it nowhere", () => {
  const svg = picture(4);
  expect(svg.querySelector("parsererror")).toBeNull();
  const said = [...svg.querySelectorAll("text")].map((text) => text.textContent);
  for (const words of [WORDS.title, WORDS.facts, WORDS.source, "+0 s", "near", "far", "+1 lane, 0 findings, 1 not captured", "✖ missing 1"]) expect(said).toContain(words);
  expect(svg.querySelectorAll("script, foreignObject, image, [href]").length).toBe(0);
  expect(said.join()).not.toContain("\u0000");
});

test("texts are escaped, and outlines end where their points do", () => {
  expect(escapeXml("<a b=\"c\">&'\u0000\u001b")).toBe("&#60;a b=&#34;c&#34;&#62;&#38;&#39;");
  expect(svgOf({ type: "polygon", shape: { points: [[0, 10], [0.04, 4.26], [8, 4.26], [3, 1]] }, style: { fill: "#f00" } })).toBe('<path d="M0 10v-5.7h8l-5 -3.3z" fill="#f00"/>');
  expect(svgOf({ type: "group", children: [{ type: "circle", shape: { cx: 1, cy: 2, r: 3 }, style: { stroke: "#000", lineWidth: 2, lineDash: [3, 2] } }] }))
    .toBe('<circle cx="1" cy="2" r="3" fill="none" stroke="#000" stroke-width="2" stroke-dasharray="3 2"/>');
});

test("rectangles and lines of one paint are one path, other shapes stay", () => {
  const bar = (x: number, fill: string) => ({ type: "rect" as const, shape: { x, y: 0, width: 2, height: 4 }, style: { fill } });
  const layer = svgOfLayer([{ type: "group", children: [bar(0, "#f00"), bar(1, "#0f0")] }, bar(8, "#f00"), { type: "circle", shape: { cx: 1, cy: 1, r: 1 }, style: { fill: "#00f" } }]);
  expect(layer).toBe('<path d="M0 0h2v4h-2zM8 0h2v4h-2z" fill="#f00"/><path d="M1 0h2v4h-2z" fill="#0f0"/><circle cx="1" cy="1" r="1" fill="#00f"/>');
});

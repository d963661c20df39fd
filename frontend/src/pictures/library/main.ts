/** What the server draws with: the page's own pure functions, for a JavaScript engine without a browser. */
import type { RequestDetail } from "../../api/requests";
import type { ConnectionDetail } from "../../api/types";
import { ladderPicture, ladderWords } from "../../connections/ladderPicture";
import { waterfallPicture, waterfallWords } from "../../requests/waterfallPicture";
import { drawRtt, rttRequest } from "./rtt";
import { tokensOfTheme, type Theme } from "./themes";
import { drawTimeline, timelineRequest } from "./timeline";

interface Asked {
  theme: Theme;
  source: string;
}

const CALLS = {
  timelineRequest, timeline: drawTimeline, rttRequest, rtt: drawRtt,
  ladder: ({ detail, asked }: { detail: ConnectionDetail; asked: Asked }) => ladderPicture(detail, tokensOfTheme(asked.theme), ladderWords(detail, asked.source)),
  breakdown: ({ detail, asked }: { detail: RequestDetail; asked: Asked }) => waterfallPicture(detail, tokensOfTheme(asked.theme), waterfallWords(detail, asked.source)),
};

/** `input` and the answer are JSON: an SVG as a string, a request as an object. */
export const call = (name: keyof typeof CALLS, input: string): string =>
  JSON.stringify((CALLS[name] as (input: unknown) => unknown)(JSON.parse(input)));

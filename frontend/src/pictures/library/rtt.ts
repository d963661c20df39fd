/** The RTT chart as the page opens on it. Pure. */
import type { HeldGroup, RoundTripChart } from "../../api/roundTrips";
import { contentOf, RTT_SIDES_PX, rttPicture, rttWords } from "../../rtt/picture";
import { chooseScales, layoutPanels } from "../../rtt/scale";
import { chooseTicks } from "../../timeline/ticks";
import { linearAxis } from "../../timeline/timeAxis";
import { clampWindow, requestFor, wholeWindow, type Span, type TimelineRequest, type TimeWindow } from "../../timeline/timeWindow";
import { readView } from "../../timeline/urlState";
import { tokensOfTheme } from "./themes";
import type { TimelineAsked } from "./timeline";

const spanOf = (whole: RoundTripChart): Span => whole.span as Span;
const plotPx = (asked: TimelineAsked): number => asked.width_px - RTT_SIDES_PX;

const windowOf = (whole: RoundTripChart, asked: TimelineAsked): TimeWindow =>
  clampWindow(readView({ w: asked.w }).window ?? wholeWindow(spanOf(whole)), spanOf(whole));

/** What the server is to be asked for, so that the window is drawn as finely as on the page. */
export const rttRequest = ({ whole, asked }: { whole: RoundTripChart; asked: TimelineAsked }): TimelineRequest =>
  requestFor(windowOf(whole, asked), plotPx(asked), spanOf(whole), null);

export function drawRtt({ whole, chart, groups, asked }: { whole: RoundTripChart; chart: RoundTripChart; groups: HeldGroup[]; asked: TimelineAsked }): string {
  const w = windowOf(whole, asked);
  const axis = linearAxis(w, plotPx(asked));
  const shown = chart.series.filter((series) => series.shown);
  const view = { window: w, geometry: layoutPanels(shown, axis.widthPx, chooseScales("linear", shown, w)), selected: null, current: null, guides: true };
  const words = rttWords(chart, w, { reading: "start", markNs: null, t0: chart.t0 }, asked.source);
  return rttPicture(view, contentOf(chart, groups), tokensOfTheme(asked.theme), chooseTicks(axis, "start", null, chart.t0), words);
}

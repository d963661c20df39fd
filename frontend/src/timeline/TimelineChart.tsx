/** The chart of the timeline: draws what `buildOption` says and reports nothing back. */
import { useMemo } from "react";
import { CustomChart } from "echarts/charts";
import { AriaComponent, DataZoomComponent, GridComponent } from "echarts/components";
import { use as register, type SetOptionOpts } from "echarts/core";

import { ChartCanvas } from "../ui/ChartCanvas";
import { buildOption, type ChartContent, type ChartView } from "./buildOption";
import type { Tokens } from "./tokens";

register([CustomChart, GridComponent, DataZoomComponent, AriaComponent]);

const SERIES_ANEW: SetOptionOpts = { replaceMerge: ["series"], lazyUpdate: false };

interface TimelineChartProps {
  view: ChartView;
  content: ChartContent;
  tokens: Tokens;
}

export function TimelineChart({ view, content, tokens }: TimelineChartProps) {
  const option = useMemo(() => buildOption(view, content, tokens), [view, content, tokens]);
  const { axis: { window: w }, geometry } = view;
  return (
    <ChartCanvas
      option={option} merge={SERIES_ANEW} widthPx={geometry.widthPx} height={geometry.height} className="timeline-canvas"
      drawn={`${w.fromNs}~${w.durationNs}`}
    />
  );
}

export default TimelineChart;

/** The chart of round trips: draws what `buildOption` says and reports nothing back. */
import { useMemo } from "react";
import { CustomChart, ScatterChart } from "echarts/charts";
import { GridComponent } from "echarts/components";
import { use as register, type SetOptionOpts } from "echarts/core";

import type { Tokens } from "../timeline/tokens";
import { ChartCanvas } from "../ui/ChartCanvas";
import { buildOption, type RttContent, type RttView } from "./buildOption";

register([CustomChart, ScatterChart, GridComponent]);

/** The number of panels changes with the series. */
const ANEW: SetOptionOpts = { notMerge: true, lazyUpdate: false };

interface RttChartProps {
  view: RttView;
  content: RttContent;
  tokens: Tokens;
}

export function RttChart({ view, content, tokens }: RttChartProps) {
  const option = useMemo(() => buildOption(view, content, tokens), [view, content, tokens]);
  const { window: w, geometry } = view;
  return (
    <ChartCanvas
      option={option} merge={ANEW} widthPx={geometry.widthPx} height={geometry.height} className="rtt-canvas"
      drawn={`${w.fromNs}~${w.durationNs}`}
    />
  );
}

export default RttChart;

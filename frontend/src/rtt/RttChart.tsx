/** The chart of round trips: draws what `buildOption` says and reports nothing back. */
import { useLayoutEffect, useRef } from "react";
import { CustomChart, ScatterChart } from "echarts/charts";
import { GridComponent } from "echarts/components";
import { init, use as register, type ECharts } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

import type { Tokens } from "../timeline/tokens";
import { buildOption, type RttContent, type RttView } from "./buildOption";

register([CustomChart, ScatterChart, GridComponent, CanvasRenderer]);

interface RttChartProps {
  view: RttView;
  content: RttContent;
  tokens: Tokens;
}

export function RttChart({ view, content, tokens }: RttChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<ECharts | null>(null);
  const { widthPx, height } = view.geometry;

  useLayoutEffect(() => {
    if (host.current === null) return undefined;
    const created = init(host.current, null, { renderer: "canvas" });
    chart.current = created;
    return () => {
      chart.current = null;
      created.dispose();
    };
  }, []);

  useLayoutEffect(() => {
    chart.current?.resize({ width: widthPx, height });
  }, [widthPx, height]);

  useLayoutEffect(() => {
    const option = buildOption(view, content, tokens);
    // Our shapes are a subset of ECharts' own, whose element types are not exported in a usable form.
    chart.current?.setOption(option as never, { notMerge: true, lazyUpdate: false });
    // Told to tests and to print: the picture on screen belongs to this window.
    host.current?.setAttribute("data-drawn", `${view.window.fromNs}~${view.window.durationNs}`);
  }, [view, content, tokens]);

  return <div ref={host} className="rtt-canvas" aria-hidden="true" style={{ width: widthPx, height }} />;
}

export default RttChart;

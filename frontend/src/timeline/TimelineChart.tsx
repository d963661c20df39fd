/** The only place that knows ECharts: it draws what `buildOption` says and reports nothing back. */
import { useLayoutEffect, useRef } from "react";
import { CustomChart } from "echarts/charts";
import { AriaComponent, DataZoomComponent, GridComponent } from "echarts/components";
import { init, use as register, type ECharts } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

import { buildOption, type ChartContent, type ChartView } from "./buildOption";
import type { Tokens } from "./tokens";

register([CustomChart, GridComponent, DataZoomComponent, AriaComponent, CanvasRenderer]);

interface TimelineChartProps {
  view: ChartView;
  content: ChartContent;
  tokens: Tokens;
}

export function TimelineChart({ view, content, tokens }: TimelineChartProps) {
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
    chart.current?.setOption(option as never, { replaceMerge: ["series"], lazyUpdate: false });
    // Told to tests and to print: the picture on screen belongs to this window.
    host.current?.setAttribute("data-drawn", `${view.window.fromNs}~${view.window.durationNs}`);
  }, [view, content, tokens]);

  return <div ref={host} className="timeline-canvas" aria-hidden="true" style={{ width: widthPx, height }} />;
}

export default TimelineChart;

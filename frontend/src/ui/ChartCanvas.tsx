/** A canvas that ECharts draws on: the only place that makes, sizes and ends a chart. What is drawn is the caller's. */
import { useLayoutEffect, useRef } from "react";
import { init, use as register, type ECharts, type SetOptionOpts } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

register([CanvasRenderer]);

interface ChartCanvasProps {
  /** An option of ECharts; a new one is drawn at once. */
  option: object;
  /** How it meets what was drawn before: the same object each time. */
  merge: SetOptionOpts;
  widthPx: number;
  height: number;
  className: string;
  /** Told to tests and to print: the window that the picture on screen belongs to. */
  drawn: string;
}

export function ChartCanvas({ option, merge, widthPx, height, className, drawn }: ChartCanvasProps) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<ECharts | null>(null);

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
    // Our shapes are a subset of ECharts' own, whose element types are not exported in a usable form.
    chart.current?.setOption(option as never, merge);
    host.current?.setAttribute("data-drawn", drawn);
  }, [option, merge, drawn]);

  return <div ref={host} className={className} aria-hidden="true" style={{ width: widthPx, height }} />;
}

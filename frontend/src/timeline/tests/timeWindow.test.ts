import { describe, expect, it } from "vitest";

import { linearAxis, panBy, zoomAt } from "../timeAxis";
import { clampWindow, MIN_DURATION_NS, niceAtLeast, requestFor, windowAround, windowEnd } from "../timeWindow";

const SPAN = { from: 0, to: 13_000_000_000 };

describe("window arithmetic", () => {
  it("keeps the time under the pointer in place when zooming", () => {
    const w = { fromNs: 1_000_000_000, durationNs: 1_000_000_000 };
    const closer = zoomAt(linearAxis(w, 1000), 0.5, 250, SPAN);
    expect(closer.fromNs + closer.durationNs * 0.25).toBe(1_250_000_000);
  });

  it("is never shorter than a microsecond nor longer than the data and 2 % on each side", () => {
    expect(zoomAt(linearAxis({ fromNs: 5, durationNs: 1_000 }, 1000), 0.01, 500, SPAN).durationNs).toBe(MIN_DURATION_NS);
    expect(clampWindow({ fromNs: 0, durationNs: 1e15 }, SPAN).durationNs).toBe(13_520_000_000);
  });

  it("does not leave the data when panned", () => {
    const w = panBy(linearAxis({ fromNs: 12_000_000_000, durationNs: 1_000_000_000 }, 1000), 5, SPAN);
    expect(windowEnd(w)).toBe(13_260_000_000);
  });

  it("puts 10 % of air around a stretch", () => {
    expect(windowAround(1_000_000_000, 2_000_000_000, SPAN)).toEqual({ fromNs: 950_000_000, durationNs: 1_100_000_000 });
  });
});

describe("requests", () => {
  const w = { fromNs: 5_000_000_000, durationNs: 1_000_000_000 };

  it("cover three windows on the grid of one bucket a pixel", () => {
    const request = requestFor(w, 1000, SPAN, null);
    expect(request).toEqual({ from: 4_000_000_000, to: 7_000_000_000, px: 3000 });
    expect(niceAtLeast((request.to - request.from) / request.px)).toBe(1_000_000);
  });

  it("are kept while panning by half a window, and made anew after two", () => {
    const request = requestFor(w, 1000, SPAN, null);
    expect(requestFor(panBy(linearAxis(w, 1000), 0.5, SPAN), 1000, SPAN, request)).toBe(request);
    expect(requestFor(panBy(linearAxis(w, 1000), 2, SPAN), 1000, SPAN, request)).not.toBe(request);
  });

  it("are made anew when another bucket size fits", () => {
    const request = requestFor(w, 1000, SPAN, null);
    expect(requestFor(zoomAt(linearAxis(w, 1000), 0.4, 500, SPAN), 1000, SPAN, request)).not.toBe(request);
  });
});

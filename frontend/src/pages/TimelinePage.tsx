/** `/i/:id/timeline`: what happened when, on every lane. */
import { useMemo } from "react";

import { useReport, useTimeline } from "../api/queries";
import { tellingOf } from "../timeline/openingWindow";
import { TimelineWorkbench } from "../timeline/TimelineWorkbench";
import { lanesAsked, readView } from "../timeline/urlState";
import { Region } from "../ui/Region";
import { useAddress } from "../ui/RouteLink";

/** Width asked for the strip of all data; it does not follow the window. */
const OVERVIEW_PX = 1200;

export function TimelinePage() {
  const report = useReport();
  const { parameters } = useAddress();
  const lanes = lanesAsked(readView(parameters));
  const overview = useTimeline({ px: OVERVIEW_PX, ...lanes });
  const findings = useMemo(() => report.data?.findings ?? [], [report.data]);
  const telling = useMemo(
    () => tellingOf(report.data),
    [report.data],
  );
  return (
    <div>
      <Region
        label="Timeline" query={overview}
        empty={(timeline) => (timeline.lanes.length === 0 ? "No capture was given, so there is nothing to draw on a timeline." : null)}
      >
        {(timeline) => (report.isPending ? null : <TimelineWorkbench overview={timeline} findings={findings} telling={telling} captureLanes={report.data?.lanes} />)}
      </Region>
    </div>
  );
}

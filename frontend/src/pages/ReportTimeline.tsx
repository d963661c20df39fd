/** The timeline of the report, as the server draws it: an image, so that it prints as it is saved. */
import { useQuery } from "@tanstack/react-query";

import { Problem } from "../api/http";
import { shows, useSource } from "../api/source";

/** A4 within its margins holds that with text that can be read. */
const WIDTH_PX = 900;

export function ReportTimeline() {
  const source = useSource();
  const picture = useQuery({
    queryKey: [source.key, "timeline-picture"],
    enabled: shows(source, "/timeline"),
    staleTime: Infinity,
    retry: false,
    queryFn: async ({ signal }) => {
      const answer = await fetch(`${source.api}/timeline.svg?width=${String(WIDTH_PX)}`, { headers: source.headers, signal });
      // A report of listings alone has no timeline.
      if (answer.status === 404) return null;
      if (!answer.ok) throw new Problem(answer.status, answer.statusText, "The timeline could not be drawn.");
      return answer.text();
    },
  });
  if (picture.error) return <p className="dim">{picture.error.message}</p>;
  if (!picture.data) return null;
  return (
    <figure className="card report-timeline" data-testid="report-timeline">
      <img src={`data:image/svg+xml,${encodeURIComponent(picture.data)}`} alt="Timeline of the most telling finding: lanes, packets and marks" />
    </figure>
  );
}

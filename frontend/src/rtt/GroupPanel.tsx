/** One group of delayed responses: what it held and what it did not, on which way, how fast it fell, and every sample. */
import { useQuery } from "@tanstack/react-query";

import { ask } from "../api/http";
import { useHeldShare, type HeldGroup, type HeldShare, type RoundTrip } from "../api/roundTrips";
import { useSource } from "../api/source";
import { EvidenceLink } from "../findings/EvidenceLinks";
import { stretch } from "../format/offset";
import { count, plural } from "../format/quantity";
import { Region } from "../ui/Region";
import { RouteLink } from "../ui/RouteLink";
import { groupName } from "./buildOption";
import { SampleTable } from "./SampleTable";
import { fallsOf, ms, pairWords, typicalWays } from "./words";

interface GroupPanelProps {
  group: HeldGroup;
  /** Which of the listed groups it is. */
  place: number;
  t0: string;
  fit: () => void;
  close: () => void;
}

export function GroupPanel({ group, place, t0, fit, close }: GroupPanelProps) {
  const source = useSource();
  const held = useHeldSamples(group);
  return (
    <section className="card panel rtt-panel" aria-label={`Group ${place}`} data-testid="rtt-group-panel" data-group={groupName(group)}>
      <div className="panel-head">
        <h2>Group {place}: {plural(group.samples, "answer")} delayed by up to {ms(group.longest_ms)}</h2>
        <span>
          <button type="button" className="plain-button" onClick={fit}>Fit</button>
          <RouteLink className="plain-button" href={`${source.page}/findings/${encodeURIComponent(group.finding)}?sel=${encodeURIComponent(groupName(group))}`}>Finding</RouteLink>
          <button type="button" className="plain-button" aria-label="Close group" onClick={close}>✕</button>
        </span>
      </div>
      <Region label="What was delayed" query={held}>
        {(samples) => (
          <>
            <Claim group={group} samples={samples} />
            <div className="rtt-columns">
              <Share group={group} />
              <Ends group={group} samples={samples} />
              <Slopes group={group} samples={samples} />
            </div>
          </>
        )}
      </Region>
      <SampleTable label={`Samples of group ${place}`} t0={t0} asked={{ finding: group.finding, instance: group.instance }} height_px={320} nothing="None of its samples is in the table." />
    </section>
  );
}

const SAMPLES_READ = 1000;

function useHeldSamples(group: HeldGroup) {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "held-samples", group.finding, group.instance],
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await ask<{ items: RoundTrip[] }>(`${source.api}/rtt?finding=${encodeURIComponent(group.finding)}&instance=${group.instance}&limit=${SAMPLES_READ}`, { headers: source.headers, signal })).items,
  });
}

function Claim({ group, samples }: { group: HeldGroup; samples: readonly RoundTrip[] }) {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return null;
  const target = (sample: RoundTrip) => ({ input: sample.input, kind: sample.printed ? ("line" as const) : ("frame" as const), first: sample.sent_frame, last: sample.sent_frame });
  return (
    <p data-claim>
      What {pairWords(group)} asked over {stretch(group.t_last_sent - group.t)} was answered within {group.answers_within_ms === null ? "moments" : ms(group.answers_within_ms)}.{" "}
      First delayed <EvidenceLink target={target(first)} />, last delayed <EvidenceLink target={target(last)} />.
    </p>
  );
}

function Share({ group }: { group: HeldGroup }) {
  const share = useHeldShare(group.finding, group.instance);
  return (
    <Region label="Delayed and not delayed" query={share}>
      {(found) => (
        <div>
          <h3>Delayed and not delayed</h3>
          <p data-testid="rtt-flows" data-held={found.flows_held} data-flows={found.flows}>{shareWords(found)}</p>
          <table className="facts" data-testid="rtt-share">
            <thead><tr><th>sent meanwhile</th><th className="number">delayed</th><th className="number">of</th><th className="number">flows</th><th className="number">others took</th></tr></thead>
            <tbody>
              {found.kinds.map((kind) => (
                <tr key={kind.kind} data-kind={kind.kind} data-held={kind.held} data-sent={kind.sent}>
                  <td>{kind.kind}</td><td className="number">{count(kind.held)}</td><td className="number">{count(kind.sent)}</td>
                  <td className="number">{count(kind.flows_held)} of {count(kind.flows)}</td>
                  <td className="number">{kind.others_p50_ms === null ? "–" : ms(kind.others_p50_ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Region>
  );
}

/** "3 of 10 flows were held": with several receive queues only those of one stand still. */
function shareWords(share: HeldShare): string {
  const flows = `${count(share.flows_held)} of ${plural(share.flows, "flow")}`;
  if (share.flows_held === share.flows) return `${flows}: all traffic between the two hosts was delayed.`;
  return `${flows} delayed, the others were answered at their baseline: one of several queues stalled.`;
}

function Ends({ group, samples }: { group: HeldGroup; samples: readonly RoundTrip[] }) {
  const ways = typicalWays(samples);
  if (ways === null) {
    return (
      <div>
        <h3>Both ends</h3>
        <p>
          Only one end was captured, or the clocks of both were never compared: where it waited is undecided.{" "}
          <RouteLink href="/capture">Capture both ends at the same time</RouteLink>
        </p>
      </div>
    );
  }
  const total = Math.max(ways.there + ways.at + ways.back, 1e-9);
  const parts: [string, string, number][] = [["request path", "there", ways.there], ["beyond the far vantage point", "at", ways.at], ["return path", "back", ways.back]];
  return (
    <div data-testid="rtt-ends">
      <h3>Both ends <span className="dim">median of {plural(ways.samples, "sample")}</span></h3>
      {parts.map(([words, key, value]) => (
        <div key={key} className="rtt-way" data-way={key} data-ms={value}>
          <span>{words}</span>
          <span className="rtt-way-bar" aria-hidden="true"><i style={{ width: `${Math.max(0, (value / total) * 100)}%` }} /></span>
          <span className="number">{ms(value)}</span>
        </div>
      ))}
      <p className="dim">Stall on the {group.direction === "unknown" ? "direction that is not known" : group.direction}.</p>
    </div>
  );
}

function Slopes({ group, samples }: { group: HeldGroup; samples: readonly RoundTrip[] }) {
  const falls = fallsOf(samples);
  return (
    <div>
      <h3>Slope {group.slope === null ? "" : group.slope.toFixed(3).replace("-", "−")} <span className="dim">−1: all released at the same time</span></h3>
      {falls.length === 0 && <p className="dim">No kind has three delayed samples to compare.</p>}
      {falls.map((fall) => (
        <p key={fall.kind} data-testid="rtt-fall">
          {fall.kind}: sent every {ms(fall.interval_ms)}, each round trip {ms(fall.fall_ms)} shorter than the one before <span className="dim">({count(fall.samples)})</span>
        </p>
      ))}
    </div>
  );
}

/** `/i/:id/rtt`: round trips over time as each end saw them, and what was held together. */
import { useMemo } from "react";

import { useReport } from "../api/queries";
import { useHeldGroups, useRoundTripChart, type HeldGroup } from "../api/roundTrips";
import type { Finding } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { RttWorkbench } from "../rtt/RttWorkbench";
import { RoleGlyph } from "../ui/Glyph";
import { Region } from "../ui/Region";
import { RouteLink } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";

const OVERVIEW_PX = 1200;

export function RttPage() {
  useTitle("RTT and stalls");
  const report = useReport();
  const whole = useRoundTripChart({ from: null, to: null, px: OVERVIEW_PX, kinds: [], series: [] });
  const groups = useHeldGroups(typeof whole.data === "object");
  const listed = useMemo(() => groups.data?.items ?? [], [groups.data]);
  const findings = useMemo(
    () => (report.data?.findings ?? []).filter((finding) => listed.some((group) => group.finding === finding.id)), [report.data, listed],
  );
  return (
    <>
      <h1>RTT and stalls</h1>
      <Region label="Round trips" query={whole} empty={(chart) => (typeof chart === "string" ? <p>{chart}</p> : chart.series.length ? null : <NoSamples />)}>
        {(chart) => typeof chart === "string" ? null : (
          <>
            <Claims findings={findings} groups={listed} />
            <Region label="Groups" query={groups}>
              {(found) => <RttWorkbench whole={chart} groups={listed} groupsTotal={found.total} findings={findings} />}
            </Region>
          </>
        )}
      </Region>
    </>
  );
}

function NoSamples() {
  return (
    <>
      <p>No packet was captured together with its response, and no ping output was given. Needs both directions of ICMP echo, TCP or DNS at one vantage point, or the output of ping or hping3.</p>
      <p><RouteLink href="/capture">What to capture</RouteLink></p>
    </>
  );
}

function Claims({ findings, groups }: { findings: readonly Finding[]; groups: readonly HeldGroup[] }) {
  if (groups.length === 0) return <p className="dim" data-testid="rtt-no-groups">No batched responses: no sign of a stalled queue.</p>;
  return findings.map((finding) => (
    <p key={finding.id} data-claim data-testid="rtt-claim">
      <RoleGlyph role="stall" /> {finding.summary} <EvidenceLinks evidence={finding.evidence} shown={2} />
    </p>
  ));
}

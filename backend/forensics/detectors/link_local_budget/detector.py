"""Packets to link-local services against the budget of the interface, and the counter of what was dropped."""

from __future__ import annotations

import numpy as np

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.link_local_budget.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel_signs import Rise, counter_rise
from backend.forensics.evidence.link_local import SECOND_NS, LinkLocalTraffic, count_link_local
from backend.forensics.findings import frame_evidence, line_evidence, plural, rfc3339
from backend.forensics.report import FindingPart, MarkPart

KIND = "link-local-budget"
COUNTER = "linklocal_allowance_exceeded"
"""Of the ENA driver (`ethtool -S`): packets dropped because of this limit."""


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding for the vantage point that saw most of it, one for the counter."""
    rise = counter_rise(facts.kernel, "ethtool-stats", COUNTER)
    if not facts.has_packets and rise is None:
        return Detection("not-checkable", "needs a capture, or ethtool -S before and after")
    traffic = count_link_local(facts.captures, facts.attempts.places)
    most = max(traffic, key=lambda t: (float(t.packets.max()), -t.place.number), default=None)
    # Only AWS has this limit; its counter or an address of its own says that this is AWS.
    is_aws = rise is not None or any(t.aws for t in traffic) or _asks_for_tokens(facts)
    findings = []
    if rise is not None and rise.by:
        findings.append(_dropped(rise, thresholds))
    if most is not None and is_aws and most.packets.max() >= _told(thresholds):
        findings.append(_finding(facts, most, len(findings) + 1, thresholds))
    peak = (
        f"{most.packets.max():,.0f} packets in the busiest second"
        if most
        else "no packet to a link-local service"
    )
    why = f"{peak}; AWS allows {thresholds.budget_packets:,} a second"
    loud = any(f.severity != "info" for f in findings)
    return Detection("found" if loud else "clear", why, tuple(findings))


def _told(thresholds: Thresholds) -> float:
    return thresholds.told_ratio * thresholds.budget_packets


def _asks_for_tokens(facts: Facts) -> bool:
    return any("token" in use.calls.kind for use in facts.metadata_uses)


def _dropped(rise: Rise, thresholds: Thresholds) -> FindingPart:
    return FindingPart(
        id=f"{KIND}-1",
        kind=KIND,
        severity="warning",
        confidence=thresholds.confidence_counted,
        title="Packets to link-local services dropped",
        summary=(
            f"{COUNTER} rose by {rise.by:,} between the dumps: the interface sent more than "
            f"{thresholds.budget_packets:,} packets a second to DNS, metadata and time services, and they were dropped."
        ),
        count=rise.by,
        first=None,
        last=None,
        time_lost_s=0.0,
        measures={"dropped": rise.by, "budget_packets_per_s": thresholds.budget_packets},
        evidence=line_evidence(rise.lines, f"{COUNTER} before and after"),
    )


def _finding(facts: Facts, traffic: LinkLocalTraffic, number: int, thresholds: Thresholds) -> FindingPart:
    def told(own_ns: int) -> str:
        """On the clock on which the packets are drawn."""
        return rfc3339(facts.clocks.at_reference(traffic.place.capture, own_ns))

    over = np.flatnonzero(traffic.packets >= thresholds.budget_packets)
    shown = over if len(over) else np.array([int(traffic.packets.argmax())])
    seconds = [(int(traffic.first_ns + n * SECOND_NS), float(traffic.packets[n])) for n in shown.tolist()]
    peak = float(traffic.packets.max())
    services = ", ".join(f"{name} {count:,}" for name, count in sorted(traffic.by_service.items()))
    reached = (
        f"reached the limit of {thresholds.budget_packets:,} in {plural(len(over), 'second')}; AWS drops the excess"
        if len(over)
        else f"came near the AWS limit of {thresholds.budget_packets:,}"
    )
    return FindingPart(
        id=f"{KIND}-{number}",
        kind=KIND,
        severity="warning" if len(over) else "info",
        confidence=thresholds.confidence if len(over) else thresholds.confidence_near,
        title=f"Packet rate to link-local services on {traffic.place.word}",
        summary=(
            f"Up to {peak:,.0f} packets a second left {traffic.place.word} for link-local services "
            f"({services} in total): "
            f"they {reached}."
        ),
        count=len(seconds),
        first=told(seconds[0][0]),
        last=told(seconds[-1][0] + SECOND_NS),
        time_lost_s=0.0,
        measures={
            "packets_per_s_max": round(peak, 1),
            "budget_packets_per_s": thresholds.budget_packets,
            "seconds_over": len(over),
            "packets_by_service": dict(sorted(traffic.by_service.items())),
        },
        affected=[{"protocol": "ip", "vantage_point": traffic.place.id}],
        events=[
            {"start": told(at_ns), "end": told(at_ns + SECOND_NS), "packets": round(packets, 1)}
            for at_ns, packets in seconds
        ],
        evidence=frame_evidence(_frames(traffic, seconds, thresholds), "the first packets of these flows"),
        marks=[
            MarkPart(
                glyph="band",
                role="burst",
                basis="seen",
                start=told(at_ns),
                end=told(at_ns + SECOND_NS),
                lanes=[traffic.place.id],
                evidence=frame_evidence(_frames(traffic, [(at_ns, packets)], thresholds)),
                label=f"{packets:,.0f} packets to link-local services",
                instance=instance,
                value=packets,
            )
            for instance, (at_ns, packets) in enumerate(seconds[: thresholds.frames_shown], 1)
        ],
    )


def _frames(
    traffic: LinkLocalTraffic, seconds: list[tuple[int, float]], thresholds: Thresholds
) -> list[tuple[str, int]]:
    """First packets of the flows that begin in these seconds; of the flow before, where none does."""
    found: list[tuple[str, int]] = []
    for at_ns, _ in seconds:
        begin, end = np.searchsorted(traffic.starts_ns, (at_ns, at_ns + SECOND_NS))
        found += traffic.frames[max(0, int(begin) - (begin == end)) : int(end)]
        if len(found) >= thresholds.frames_shown:
            break
    return found[: thresholds.frames_shown]

"""Packets to link-local services against the budget of the interface, and the counter of what was dropped."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from backend.forensics.cases.case import APART, Case, Instance
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import draw_instances, event_of, present_case
from backend.forensics.detectors.link_local_budget.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.attempts.link_local import SECOND_NS, LinkLocalTraffic, count_link_local
from backend.forensics.evidence.clocks.sightings import Place
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kernel_signs import Rise, counter_rise
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.report import FindingPart

KIND = "link-local-budget"
COUNTER = "linklocal_allowance_exceeded"
"""Of the ENA driver (`ethtool -S`): packets dropped because of this limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedByBudget(Case):
    """The interface's own counter."""

    kind: str = KIND
    dropped: int
    budget_packets_per_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BusySecond(Instance):
    """A second with many packets to link-local services."""

    packets_sent: float = field(metadata=APART)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearBudget(Case):
    """Of the vantage point that saw most."""

    kind: str = KIND
    instances: tuple[BusySecond, ...]
    packets_per_s_max: float
    budget_packets_per_s: int
    seconds_over: int
    packets_by_service: dict[str, int]
    place: Place = field(metadata=APART)


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding for the vantage point that saw most of it, one for the counter."""
    rise = counter_rise(facts.kernel, "ethtool-stats", COUNTER)
    if not facts.has_packets and rise is None:
        return Detection("not-checkable", "needs a capture, or ethtool -S before and after")
    traffic = count_link_local(facts.captures, facts.attempts.places)
    most = max(traffic, key=lambda t: (float(t.packets.max()), -t.place.number), default=None)
    # Only AWS has this limit; its counter or an address of its own says that this is AWS.
    is_aws = rise is not None or any(t.aws for t in traffic) or _asks_for_tokens(facts)
    cases: list[DroppedByBudget | NearBudget] = []
    if rise is not None and rise.by:
        cases.append(_dropped(rise, thresholds))
    if most is not None and is_aws and most.packets.max() >= _noted_packets(thresholds):
        cases.append(_near(facts, most, thresholds))
    peak = (
        f"{most.packets.max():,.0f} packets in the busiest second"
        if most
        else "no packet to a link-local service"
    )
    why = f"{peak}; AWS allows {thresholds.budget_packets:,} a second"
    return Detection.of(why, cases, partial(_present, thresholds=thresholds))


def _noted_packets(thresholds: Thresholds) -> float:
    return thresholds.noted_ratio * thresholds.budget_packets


def _asks_for_tokens(facts: Facts) -> bool:
    return any("token" in use.calls.kind for use in facts.metadata_uses)


def _dropped(rise: Rise, thresholds: Thresholds) -> DroppedByBudget:
    return DroppedByBudget(
        severity="warning",
        confidence=thresholds.confidence_counted,
        summary=(
            f"{COUNTER} rose by {rise.by:,} between the dumps: the interface sent more than "
            f"{thresholds.budget_packets:,} packets a second to DNS, metadata and time services, and they were dropped."
        ),
        count=rise.by,
        evidence=tuple(line_evidence(rise.lines, f"{COUNTER} before and after")),
        dropped=rise.by,
        budget_packets_per_s=thresholds.budget_packets,
    )


def _near(facts: Facts, traffic: LinkLocalTraffic, thresholds: Thresholds) -> NearBudget:
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
    instances = tuple(_second(facts, traffic, second, thresholds) for second in seconds)
    return NearBudget(
        severity="warning" if len(over) else "info",
        confidence=thresholds.confidence if len(over) else thresholds.confidence_near,
        summary=(
            f"Up to {peak:,.0f} packets a second left {traffic.place.word} for link-local services "
            f"({services} in total): "
            f"they {reached}."
        ),
        count=len(seconds),
        first_ns=instances[0].start_ns,
        last_ns=instances[-1].end_ns,
        instances=instances,
        evidence=tuple(
            frame_evidence(_frames(traffic, seconds, thresholds), "the first packets of these flows")
        ),
        packets_per_s_max=round(peak, 1),
        budget_packets_per_s=thresholds.budget_packets,
        seconds_over=len(over),
        packets_by_service=dict(sorted(traffic.by_service.items())),
        place=traffic.place,
    )


def _second(
    facts: Facts, traffic: LinkLocalTraffic, second: tuple[int, float], thresholds: Thresholds
) -> BusySecond:
    """On the clock on which the packets are drawn."""
    at_ns, packets = second
    return BusySecond(
        start_ns=facts.clocks.at_reference(traffic.place.capture, at_ns),
        end_ns=facts.clocks.at_reference(traffic.place.capture, at_ns + SECOND_NS),
        lane=traffic.place.id,
        packets=tuple(_frames(traffic, [second], thresholds)),
        packets_sent=packets,
    )


def _present(case: DroppedByBudget | NearBudget, thresholds: Thresholds) -> FindingPart:
    if isinstance(case, DroppedByBudget):
        return present_case(case, "Packets to link-local services dropped")
    return present_case(
        case,
        f"Packet rate to link-local services on {case.place.word}",
        affected=[{"protocol": "ip", "vantage_point": case.place.id}],
        events=[{**event_of(one), "packets": round(one.packets_sent, 1)} for one in case.instances],
        marks=draw_instances(
            case.instances[: thresholds.frames_shown],
            "band",
            "burst",
            label=lambda one: f"{one.packets_sent:,.0f} packets to link-local services",
            value=lambda one: one.packets_sent,
        ),
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

"""SYNs lost while every port of the NAT range was in use, and how near the other ranges are to that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from backend.forensics.cases.case import Case, Flow, end_of
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import present_case
from backend.forensics.detectors.snat_port_exhaustion.marks import draw_marks, full_intervals, loss_table
from backend.forensics.detectors.snat_port_exhaustion.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.absence.losses import Loss
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.nat.port_pools import PortPool
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.report import EvidencePart, FindingPart, Severity
from backend.forensics.wording import were

KIND = "snat-port-exhaustion"


@dataclass(frozen=True, slots=True, kw_only=True)
class SnatPortExhaustion(Case):
    """Of one pool: an outer address towards one destination."""

    kind: str = KIND
    ports_available: int
    ports_in_use_max: int
    ports_first: int
    ports_last: int
    range_basis: str
    use_ratio: float
    insert_failed_delta: int | None


@dataclass(frozen=True)
class _Use:
    """A pool that is used up or nearly so, and the SYNs lost meanwhile."""

    pool: PortPool
    losses: list[Loss]
    severity: Severity


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per pool (outer address towards one destination) that is used up or nearly so."""
    listed = any(len(each.dump.entries) for each in facts.node.dumps)
    if not facts.has_packets and not listed:
        return Detection("not-checkable", "needs a capture on both sides of the NAT, or conntrack -L or -E")
    lost: dict[int, list[Loss]] = {}
    for number, pool in sorted(facts.exhausted.items()):
        lost.setdefault(id(pool), []).append(facts.losses[number])
    uses: list[_Use] = []
    for pool in facts.port_pools:
        losses = lost.get(id(pool), [])
        severity = _severity(pool, losses, thresholds)
        if severity is not None:
            uses.append(_Use(pool, losses, severity))
    if not uses:
        return _nothing(facts, listed)
    total = sum(len(use.losses) for use in uses)
    why = (
        f"{plural(total, 'SYN')} lost while few ports or none were free; {plural(len(uses), 'range')} at "
        "least half in use"
    )
    return Detection.of_groups(why, uses, partial(_case, facts), partial(_present, facts))


def _nothing(facts: Facts, listed: bool) -> Detection:
    if facts.port_pools:
        fullest = max(facts.port_pools, key=lambda p: (_ratio(p), p.outer))
        figures = f"{fullest.in_use_max:,} of {fullest.range.ports:,} ports"
        return Detection("clear", f"at most {figures} were in use to {fullest.destination}")
    if listed or facts.attempts.translated:
        return Detection("clear", "no destination had more than a quarter of the SNAT ports in use")
    return Detection("not-checkable", "no SNAT seen: needs a capture on both sides of the NAT")


def _ratio(pool: PortPool) -> float:
    return pool.in_use_max / pool.range.ports


def _severity(pool: PortPool, losses: Sequence[Loss], thresholds: Thresholds) -> Severity | None:
    if losses:
        return "critical" if len(losses) >= thresholds.critical_losses else "warning"
    if _ratio(pool) >= thresholds.warning_ratio and pool.range.basis != "inferred":
        return "warning"
    return "info" if _ratio(pool) >= thresholds.info_ratio else None


def _confidence(pool: PortPool) -> float:
    if pool.range.basis == "inferred":
        return DEFAULT.confidence_inferred
    dumped = any(u.source == "dump" for u in pool.usages)
    return DEFAULT.confidence_dump if dumped else DEFAULT.confidence_rule


def _case(facts: Facts, use: _Use) -> SnatPortExhaustion:
    pool, losses, delta = use.pool, use.losses, facts.node.delta
    fullest = max(pool.usages, key=lambda u: u.most)
    times = [loss.transmission.time_ns for loss in losses] or [fullest.most_at_ns]
    known = min(times) > 0
    # The wait is counted by the case of repeated SYNs; counting it here too would double it.
    return SnatPortExhaustion(
        severity=use.severity,
        confidence=_confidence(pool),
        summary=_summary(pool, losses, facts.has_packets),
        count=len(losses),
        first_ns=min(times) if known else None,
        last_ns=max(times) if known else None,
        flows=_flows(pool, losses),
        evidence=tuple(_evidence(facts, pool, losses)),
        ports_available=pool.range.ports,
        ports_in_use_max=pool.in_use_max,
        ports_first=pool.range.first,
        ports_last=pool.range.last,
        range_basis=pool.range.basis,
        use_ratio=round(_ratio(pool), 4),
        insert_failed_delta=delta.deltas.get("insert_failed") if delta else None,
    )


def _present(facts: Facts, use: _Use, case: SnatPortExhaustion) -> FindingPart:
    pool, losses = use.pool, use.losses
    what = "SNAT port exhaustion" if losses else "High SNAT port usage"
    return present_case(
        case,
        f"{what} on {pool.outer} to {pool.destination}",
        events=full_intervals(pool),
        marks=draw_marks(pool, losses, facts.attempts.places),
        tables=[loss_table(pool, losses)] if losses else [],
    )


def _summary(pool: PortPool, losses: Sequence[Loss], has_packets: bool) -> str:
    where = {
        "rule": f"the rule allows {pool.range.first} to {pool.range.last}",
        "inferred": f"only {pool.range.first} to {pool.range.last} occur",
        "default": "the kernel's default range",
    }[pool.range.basis]
    use = (
        f"{pool.in_use_max:,} of {pool.range.ports:,} SNAT ports of {pool.outer} were in use to "
        f"{pool.destination} at once ({where})"
    )
    if not losses:
        return f"{use}. " + (
            "No SYN was lost to it in the capture."
            if has_packets
            else "Only a capture shows whether SYNs were lost."
        )
    dropped = f"{plural(len(losses), 'SYN')} {were(len(losses))} dropped"
    # Packets show a port as free when its connection closes; the kernel holds it for longer.
    free = pool.range.ports - min(pool.in_use_at(loss.transmission.time_ns) for loss in losses)
    return f"{use}; {dropped} while {f'at most {free:,}' if free > 0 else 'none'} of them {were(max(free, 1))} free."


def _flows(pool: PortPool, losses: Sequence[Loss]) -> tuple[Flow, ...]:
    sources = sorted({loss.attempt.client.host for loss in losses}) or [pool.outer]
    target = losses[0].attempt.server if losses else end_of(str(pool.destination))
    protocol = "udp" if pool.protocol == 17 else "tcp"
    return tuple(Flow(protocol, source, target) for source in sources)


def _evidence(facts: Facts, pool: PortPool, losses: Sequence[Loss]) -> list[EvidencePart]:
    frames = [(s.place.input, s.frame) for loss in losses for s in loss.transmission.sightings]
    rules = [(name, line) for name, line, _ in pool.range.rules]
    parts = frame_evidence(frames, "SYNs lost while no port was free")
    parts += line_evidence(rules, "the rule that limits the ports")
    parts += line_evidence(pool.lines, "conntrack entries that hold ports")
    return parts or frame_evidence(pool.frames, "connections that hold ports")

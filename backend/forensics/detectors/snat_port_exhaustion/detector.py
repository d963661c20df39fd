"""SYNs lost while every port of the NAT range was in use, and how near the other ranges are to that."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.snat_port_exhaustion.marks import draw_marks, full_intervals, loss_table
from backend.forensics.detectors.snat_port_exhaustion.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.losses import Loss
from backend.forensics.evidence.port_pools import PortPool
from backend.forensics.findings import frame_evidence, line_evidence, plural, rfc3339
from backend.forensics.report import EvidencePart, FindingPart, Severity

KIND = "snat-port-exhaustion"


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per pool (outer address towards one destination) that is used up or nearly so."""
    listed = any(len(each.dump.entries) for each in facts.node.dumps)
    if not facts.has_packets and not listed:
        return Detection("not-checkable", "needs a capture on both sides of the NAT, or conntrack -L or -E")
    lost: dict[int, list[Loss]] = {}
    for number, pool in sorted(facts.exhausted.items()):
        lost.setdefault(id(pool), []).append(facts.losses[number])
    findings: list[FindingPart] = []
    for pool in facts.port_pools:
        losses = lost.get(id(pool), [])
        severity = _severity(pool, losses, thresholds)
        if severity is not None:
            findings.append(_finding(facts, pool, losses, severity, len(findings) + 1))
    if findings:
        total = sum(f.count for f in findings)
        loud = any(f.severity != "info" for f in findings)
        why = (
            f"{plural(total, 'SYN')} lost while no port was free; {plural(len(findings), 'range')} at "
            "least half in use"
        )
        return Detection("found" if loud else "clear", why, tuple(findings))
    return _nothing(facts, listed)


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


def _finding(
    facts: Facts, pool: PortPool, losses: Sequence[Loss], severity: Severity, number: int
) -> FindingPart:
    delta = facts.node.delta
    fullest = max(pool.usages, key=lambda u: u.most)
    times = [loss.transmission.time_ns for loss in losses] or [fullest.most_at_ns]
    known = min(times) > 0
    return FindingPart(
        id=f"{KIND}-{number}",
        kind=KIND,
        severity=severity,
        confidence=_confidence(pool),
        title=f"SNAT port exhaustion on {pool.outer} to {pool.destination}"
        if losses
        else f"High SNAT port usage on {pool.outer} to {pool.destination}",
        summary=_summary(pool, losses, facts.has_packets),
        count=len(losses),
        first=rfc3339(min(times)) if known else None,
        last=rfc3339(max(times)) if known else None,
        # The wait is counted by the finding on repeated SYNs; counting it here too would double it.
        time_lost_s=0.0,
        measures={
            "ports_available": pool.range.ports,
            "ports_in_use_max": pool.in_use_max,
            "ports_first": pool.range.first,
            "ports_last": pool.range.last,
            "range_basis": pool.range.basis,
            "use_ratio": round(_ratio(pool), 4),
            "insert_failed_delta": delta.deltas.get("insert_failed") if delta else None,
        },
        affected=_affected(pool, losses),
        events=full_intervals(pool),
        evidence=_evidence(facts, pool, losses),
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
    return f"{use}; {plural(len(losses), 'SYN')} sent while none was free were dropped."


def _affected(pool: PortPool, losses: Sequence[Loss]) -> list[dict[str, object]]:
    sources = sorted({str(loss.attempt.client).rsplit(":", 1)[0] for loss in losses}) or [pool.outer]
    target = str(losses[0].attempt.server) if losses else str(pool.destination)
    protocol = "udp" if pool.protocol == 17 else "tcp"
    return [{"protocol": protocol, "source": source, "destination": target} for source in sources]


def _evidence(facts: Facts, pool: PortPool, losses: Sequence[Loss]) -> list[EvidencePart]:
    frames = [(s.place.input, s.frame) for loss in losses for s in loss.transmission.sightings]
    rules = [(name, line) for name, line, _ in pool.range.rules]
    parts = frame_evidence(frames, "SYNs lost while no port was free")
    parts += line_evidence(rules, "the rule that limits the ports")
    parts += line_evidence(pool.lines, "conntrack entries that hold ports")
    return parts or frame_evidence(pool.frames, "connections that hold ports")

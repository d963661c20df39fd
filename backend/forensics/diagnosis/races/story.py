"""A race described: what happened in three steps, how much it hurt, what is missing to be certain."""

from __future__ import annotations

from backend.forensics.diagnosis.contract import TIME_LOST
from backend.forensics.diagnosis.races.evidence import Race
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, line_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, MissingPart
from backend.forensics.report_impact import ImpactPart


def race_hurt(race: Race) -> str:
    """``29 of 600 new connections to 192.0.2.1:80 waited about 1 s``."""
    waited = (
        seconds_text(race.gap_median_s) if race.gap_median_s < 0.9 else f"about {race.gap_median_s:.0f} s"
    )
    total = plural(race.attempts_total, "new connection")
    return f"{len(race.collisions):,} of {total} to {race.target} waited {waited}"


def race_steps(facts: Facts, race: Race) -> list[ClaimPart]:
    """One instance described in three steps; the closest pair is the clearest."""
    loss, rival = min(race.collisions, key=lambda c: (c[1].distance_ns, c[0].transmission.time_ns))
    first = loss.transmission.first
    us = rival.distance_ns / 1000
    both = frame_evidence((rival.place.input, frame) for frame in (rival.lost_frame, rival.frame))
    opened = f"{rival.source} and {first.source} sent their SYNs to {race.target} {us:g} µs apart."
    steps = [ClaimPart(role="step", text=opened, evidence=both)]
    stored = [
        (name, e.line)
        for name, e in facts.node.new_events([rival.source.port])
        if f"{e.original.source}:{e.original.source_port}" == str(rival.source)
    ]
    text = f"SNAT gave both source port {first.source.port} (inferred); only one conntrack entry could be inserted."
    steps.append(ClaimPart(role="step", text=text, evidence=[*both, *line_evidence(stored[:1])]))
    if loss.retry is not None:
        gap_s = (loss.retry.time_ns - loss.transmission.time_ns) / 1e9
        again = loss.retry
        ports = (
            f" with source port {again.last.source.port}"
            if again.last.source.port != first.source.port
            else ""
        )
        text = f"{first.source} retransmitted its SYN after {seconds_text(gap_s)}, and it passed{ports}."
        frames = frame_evidence((s.place.input, s.frame) for s in again.sightings)
        steps.append(ClaimPart(role="step", text=text, evidence=frames))
    return steps


def race_missing(facts: Facts, race: Race) -> list[MissingPart]:
    missing = []
    if facts.node.delta is None:
        what = "Kernel counters before and after: insert_failed must rise by about one per lost SYN"
        missing.append(MissingPart(what=what, command="conntrack -S; sleep 60; conntrack -S"))
    if race.located < len(race.collisions):
        what = (
            "A capture on both sides of the NAT at the same time: the SYN must be present before it and "
            "absent behind it"
        )
        missing.append(MissingPart(what=what, command="tcpdump -i any -y LINUX_SLL2 -s 96 -w any.pcap tcp"))
    if not any(True for _ in facts.node.nat_rules()):
        what = "The NAT rules: the fix is derived from your own rule"
        missing.append(MissingPart(what=what, command="iptables-save -t nat"))
    return missing


def race_figures(race: Race) -> tuple[tuple[str, str], ...]:
    figures = [(TIME_LOST, seconds_text(race.time_lost_s)), ("max", seconds_text(race.worst_s))]
    if race.usual_s is not None:
        figures.append(("baseline", seconds_text(race.usual_s)))
    figures.append(("sources affected", f"{race.sources_hit:,} of {race.sources_total:,}"))
    figures.append(("to", race.target))
    return tuple(figures)


def race_impact(race: Race) -> ImpactPart:
    """The same as numbers."""
    return ImpactPart(
        unit="connections",
        destination=race.target,
        affected=len(race.collisions),
        total=race.attempts_total,
        longest_s=race.worst_s,
        baseline_s=race.usual_s,
    )

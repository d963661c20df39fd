"""Two sources are given one outgoing address and port at the same moment; the kernel drops the loser's SYN.

Between `get_unique_tuple()` choosing a free tuple and the confirmation of the entry in POSTROUTING nobody
reserves it (net/netfilter/nf_nat_core.c); the second to confirm fails and its packet is dropped
(`insert_failed`, `drop`).
Incident: XING, "A reason for unexplained connection timeouts on Kubernetes/Docker".
"""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.diagnosis.causes.snat_port_race.evidence import (
    Race,
    collect_races,
    weigh_race,
)
from backend.forensics.diagnosis.causes.snat_port_race.remedies import list_remedies
from backend.forensics.diagnosis.causes.snat_port_race.rivals import rival_parts
from backend.forensics.diagnosis.contract import Hypothesis
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, line_evidence, seconds_text
from backend.forensics.report import ClaimPart, FindingPart, MissingPart

CAUSE = "snat-port-race"
TITLE = "SNAT tuple collision"
PRIOR = -2.5
"""Of strangers' captures with repeated SYNs few are this race: it has to earn its place."""

REFERENCES = (
    "net/netfilter/nf_nat_core.c: get_unique_tuple() keeps the original source port first "
    "unless a random flag is set",
    "iptables 1.6.2: MASQUERADE --random-fully",
    "flannel 0.11.0 (commit 0d7b9946) sets random-fully; Kubernetes issue 78547, milestone 1.16, "
    "for kube-proxy",
)


def assess(facts: Facts, findings: Sequence[FindingPart]) -> list[Hypothesis]:
    """One hypothesis per destination whose lost SYNs had rivals."""
    return [_hypothesis(facts, race) for race in collect_races(facts, findings)]


def _hypothesis(facts: Facts, race: Race) -> Hypothesis:
    weighed = weigh_race(facts, race)
    located = race.located
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=_statement(race),
        prior=PRIOR,
        steps=tuple(_steps(facts, race)),
        weighed=tuple(weighed.pieces),
        both_sides=located > 0 and located == len(race.collisions),
        independent=weighed.counters_agree,
        signs=int(race.ports_change) + int(weighed.counters_agree) + int(weighed.rivals_matter),
        findings=tuple(f.id for f in race.findings),
        time_lost_s=race.time_lost_s,
        rivals=tuple(rival_parts(facts, race, weighed)),
        missing=tuple(_missing(facts, race)),
        remedies=tuple(list_remedies(facts)),
        references=REFERENCES,
        refutation=(
            "nothing seen; it would be refuted by a lost SYN visible behind NAT, "
            "or by insert_failed staying flat"
        ),
        figures=_figures(race),
        attempts=tuple(sorted({loss.attempt.link for loss, _ in race.collisions})),
    )


def _statement(race: Race) -> str:
    inner, outer = race.between
    total = race.attempts_total
    waited = (
        seconds_text(race.gap_median_s) if race.gap_median_s < 0.9 else f"about {race.gap_median_s:.0f} s"
    )
    noun = "connection" if total == 1 else "connections"
    hurt = f"{len(race.collisions)} of {total} new {noun} to {race.target} waited {waited}"
    if not outer:
        return (
            f"{hurt}. It fits two sources being given the same outgoing address and port at the same moment, "
            "but with one vantage point the place of the loss is unknown."
        )
    return (
        f"{hurt} because the node dropped their first packet (SYN) between {inner} and {outer}: "
        "two sources were given the same outgoing address and port "
        "at the same moment."
    )


def _steps(facts: Facts, race: Race) -> list[ClaimPart]:
    """One instance told in three steps; the closest pair is the clearest."""
    loss, rival = min(race.collisions, key=lambda c: (c[1].distance_ns, c[0].transmission.time_ns))
    first = loss.transmission.first
    us = rival.distance_ns / 1000
    both = frame_evidence([(first.place.input, first.frame), (rival.place.input, rival.frame)])
    opened = (
        f"{rival.source} and {first.source} sent their first packet (SYN) to {race.target} {us:g} µs apart."
    )
    steps = [ClaimPart(role="step", text=opened, evidence=both)]
    stored = [
        (name, e.line)
        for name, e in facts.kernel.events()
        if e.event == "NEW" and f"{e.original.source}:{e.original.source_port}" == str(rival.source)
    ]
    text = (
        f"Both were to leave with source port {first.source.port} (inferred); only one entry could be stored."
    )
    steps.append(ClaimPart(role="step", text=text, evidence=[*both, *line_evidence(stored[:1])]))
    if loss.retry is not None:
        gap_s = (loss.retry.time_ns - loss.transmission.time_ns) / 1e9
        again = loss.retry
        ports = (
            f" with source port {again.last.source.port}"
            if again.last.source.port != first.source.port
            else ""
        )
        text = f"{first.source} sent its SYN again after {gap_s:.3f} s, and that one passed{ports}."
        frames = frame_evidence((s.place.input, s.frame) for s in again.sightings)
        steps.append(ClaimPart(role="step", text=text, evidence=frames))
    return steps


def _missing(facts: Facts, race: Race) -> list[MissingPart]:
    missing = []
    if facts.kernel.delta is None:
        what = "Kernel counters before and after: insert_failed must rise by about one per lost SYN"
        missing.append(MissingPart(what=what, command="conntrack -S; sleep 60; conntrack -S"))
    if race.located < len(race.collisions):
        what = (
            "A capture on both sides of the NAT at once: the SYN must be seen before it "
            "and be absent behind it"
        )
        missing.append(MissingPart(what=what, command="tcpdump -i any -y LINUX_SLL2 -s 96 -w any.pcap tcp"))
    if not any(True for _ in facts.kernel.nat_rules()):
        what = "The NAT rules: the fix is made from your own rule"
        missing.append(MissingPart(what=what, command="iptables-save -t nat"))
    return missing


def _figures(race: Race) -> tuple[tuple[str, str], ...]:
    figures = [("time lost", seconds_text(race.time_lost_s)), ("worst", seconds_text(race.worst_s))]
    if race.usual_s is not None:
        figures.append(("usual", seconds_text(race.usual_s)))
    figures.append(("sources hit", f"{race.sources_hit} of {race.sources_total}"))
    figures.append(("to", race.target))
    return tuple(figures)

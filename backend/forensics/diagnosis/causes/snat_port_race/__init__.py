"""Two sources are given one outgoing address and port at the same moment; the kernel drops the loser's SYN.

Between `get_unique_tuple()` choosing a free tuple and the confirmation of the entry in POSTROUTING nobody
reserves it (net/netfilter/nf_nat_core.c); the second to confirm fails and its packet is dropped
(`insert_failed`, `drop`).
Incident: XING, "A reason for unexplained connection timeouts on Kubernetes/Docker".
"""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.diagnosis.causes.snat_port_race.remedies import list_remedies
from backend.forensics.diagnosis.contract import Hypothesis
from backend.forensics.diagnosis.races.evidence import (
    Race,
    collect_races,
    weigh_race,
)
from backend.forensics.diagnosis.races.rivals import rival_parts
from backend.forensics.diagnosis.races.story import race_figures, race_hurt, race_missing, race_steps
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import FindingPart

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
    return [_hypothesis(facts, race) for race in collect_races(facts, findings, service=False)]


def _hypothesis(facts: Facts, race: Race) -> Hypothesis:
    weighed = weigh_race(facts, race)
    located = race.located
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=_statement(race),
        prior=PRIOR,
        steps=tuple(race_steps(facts, race)),
        weighed=tuple(weighed.pieces),
        both_sides=located > 0 and located == len(race.collisions),
        independent=weighed.counters_agree,
        signs=int(race.ports_change) + int(weighed.counters_agree) + int(weighed.rivals_matter),
        findings=tuple(f.id for f in race.findings),
        time_lost_s=race.time_lost_s,
        rivals=tuple(rival_parts(facts, race, weighed)),
        missing=tuple(race_missing(facts, race)),
        remedies=tuple(list_remedies(facts)),
        references=REFERENCES,
        refutation=(
            "nothing seen; it would be refuted by a lost SYN visible behind NAT, "
            "or by insert_failed staying flat"
        ),
        figures=race_figures(race),
        attempts=tuple(sorted({loss.attempt.link for loss, _ in race.collisions})),
    )


def _statement(race: Race) -> str:
    inner, outer = race.between
    if not outer:
        return (
            f"{race_hurt(race)}. It fits two sources being given the same outgoing address and port at the same "
            "moment, but with one vantage point the place of the loss is unknown."
        )
    return (
        f"{race_hurt(race)} because the node dropped their first packet (SYN) between {inner} and {outer}: "
        "two sources were given the same outgoing address and port at the same moment."
    )

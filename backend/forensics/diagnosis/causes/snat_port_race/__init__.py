"""SNAT gives two sources the same address and port at the same time; the kernel drops the second SYN.

Between `get_unique_tuple()` choosing a free tuple and the confirmation of the entry in POSTROUTING nobody
reserves it (net/netfilter/nf_nat_core.c); the second to confirm fails and its packet is dropped
(`insert_failed`, `drop`).
Incident: XING, "A reason for unexplained connection timeouts on Kubernetes/Docker".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.causes.snat_port_race.remedies import list_remedies
from backend.forensics.diagnosis.causes.snat_port_race.short_range import assess_short_ranges
from backend.forensics.diagnosis.contract import STATEMENT_LONGEST, Hypothesis
from backend.forensics.diagnosis.races.evidence import Race, collect_races
from backend.forensics.diagnosis.races.hypothesis import RaceCause, race_hypothesis
from backend.forensics.diagnosis.races.story import race_hurt
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import MissingPart

CAUSE = "snat-port-race"
TITLE = "SNAT source-port collision"
ALTERNATIVES: Final = (
    Alternative(
        "SNAT port exhaustion", "the ports of the pool are all in use; SYNs fail until some are free"
    ),
    Alternative("Accept queue overflow", "the SYN reaches the server, and its ListenOverflows rises"),
    Alternative("Packet loss on the path", "the SYN is seen to leave the node"),
)
COLLECT: Final = (
    MissingPart(
        what="Failed insertions before and after, and the rules that choose the ports",
        command="conntrack -S; sleep 60; conntrack -S; iptables-save -t nat",
    ),
)
PRIOR = -2.5
"""Of strangers' captures with repeated SYNs few are this race: it has to earn its place."""

REFERENCES = (
    "net/netfilter/nf_nat_core.c: get_unique_tuple() keeps the original source port first "
    "unless a random flag is set",
    "iptables 1.6.2: MASQUERADE --random-fully",
    "flannel 0.11.0 (commit 0d7b9946) sets random-fully; Kubernetes issue 78547, milestone 1.16, "
    "for kube-proxy",
)


_RACE = RaceCause(CAUSE, TITLE, PRIOR, "NAT", REFERENCES)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per destination whose lost SYNs had rivals, and one per short range that two drew from at once."""
    races = collect_races(facts, findings, service=False)
    remedies = tuple(list_remedies(facts)) if races else ()
    equal_ports = [race_hypothesis(facts, race, _RACE, _statement(race), remedies) for race in races]
    return equal_ports + assess_short_ranges(facts, findings)


def _statement(race: Race) -> str:
    inner, outer = race.between
    if not outer:
        return f"{race_hurt(race)}: this fits a SNAT source-port collision, but one vantage point cannot prove it."
    claim = f"{race_hurt(race)}: a SNAT source-port collision dropped the SYN"
    placed = f"{claim} between {inner} and {outer}."
    return placed if len(placed) <= STATEMENT_LONGEST else f"{claim} in the node."

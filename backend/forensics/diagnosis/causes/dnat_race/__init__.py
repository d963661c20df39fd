"""Two connections to a service address get the same tuple after DNAT (conntrack insertion race).

Like the SNAT source-port race, but at the destination: kube-proxy's DNAT sends both clients to the same
backend, and their tuples must differ behind it (net/netfilter/nf_nat_core.c, nf_nat_used_tuple). The loser's first
packet is dropped (`insert_failed`, `drop`). Two UDP queries of one socket race in the same manner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.causes.dnat_race.queries import assess_queries
from backend.forensics.diagnosis.causes.dnat_race.remedies import list_remedies
from backend.forensics.diagnosis.contract import Hypothesis
from backend.forensics.diagnosis.races.evidence import Race, collect_races
from backend.forensics.diagnosis.races.hypothesis import RaceCause, race_hypothesis
from backend.forensics.diagnosis.races.story import race_hurt
from backend.forensics.evidence.facts import Facts

CAUSE = "dnat-race"
TITLE = "DNAT collision at a service address (conntrack race)"
ALTERNATIVES: Final = (
    Alternative(
        "Packet loss on the path",
        "the lost packet left the node; here the node dropped it, and insert_failed or drop rose",
    ),
    Alternative(
        "A resolver that does not answer AAAA", "the same query is unanswered when it is repeated alone"
    ),
)
PRIOR = -3.0
"""Rarer than the race for an outgoing port: both connections must be sent to the same backend, too."""

REFERENCES = (
    "net/netfilter/nf_nat_core.c: nf_nat_used_tuple() looks at confirmed entries only",
    "commits ed07d9a021df and 4e35c1cb9460 (Linux 5.0, 4.19.29, 4.14.106, 4.9.163): the race of two packets of one "
    "UDP socket; two different backends are not covered",
)


_RACE = RaceCause(CAUSE, TITLE, PRIOR, "the service address", REFERENCES)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per destination whose lost SYNs had rivals, and per resolver that lost one query of a pair."""
    races = collect_races(facts, findings, service=True)
    remedies = tuple(list_remedies(facts)) if races else ()
    found = [race_hypothesis(facts, race, _RACE, _statement(race), remedies) for race in races]
    return [*found, *assess_queries(facts, findings, CAUSE, TITLE, REFERENCES)]


def _statement(race: Race) -> str:
    inner, outer = race.between
    where = f" between {inner} and {outer}" if outer else ""
    return f"{race_hurt(race)}: two flows collided on one DNAT tuple of the service, and the node dropped a SYN{where}."

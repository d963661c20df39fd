"""The race for a tuple at a service address: the destination is rewritten, and two connections end on one tuple.

Like the race for an outgoing port, only that the clients asked for a service: kube-proxy's DNAT sends them to the same
backend, and behind it their tuples must differ (net/netfilter/nf_nat_core.c, nf_nat_used_tuple). The loser's first
packet is dropped (`insert_failed`, `drop`). UDP lookups from one socket meet the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.diagnosis.causes.dnat_race.remedies import list_remedies
from backend.forensics.diagnosis.contract import Hypothesis
from backend.forensics.diagnosis.races.evidence import Race, collect_races, weigh_race
from backend.forensics.diagnosis.races.rivals import rival_parts
from backend.forensics.diagnosis.races.story import race_figures, race_hurt, race_missing, race_steps
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import FindingPart

CAUSE = "dnat-race"
TITLE = "Tuple collision at a service address"
PRIOR = -3.0
"""Rarer than the race for an outgoing port: both connections must be sent to the same backend, too."""

REFERENCES = (
    "net/netfilter/nf_nat_core.c: nf_nat_used_tuple() looks at confirmed entries only",
    "commits ed07d9a021df and 4e35c1cb9460 (Linux 5.0, 4.19.29, 4.14.106, 4.9.163): the race of two packets of one "
    "UDP socket; two different backends are not covered",
)


def assess(facts: Facts, findings: Sequence[FindingPart]) -> list[Hypothesis]:
    """One hypothesis per destination whose lost SYNs had rivals."""
    return [_hypothesis(facts, race) for race in collect_races(facts, findings, service=True)]


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
            "nothing seen; it would be refuted by a lost SYN visible behind the service address, "
            "or by insert_failed staying flat"
        ),
        figures=race_figures(race),
        attempts=tuple(sorted({loss.attempt.link for loss, _ in race.collisions})),
    )


def _statement(race: Race) -> str:
    inner, outer = race.between
    where = f" between {inner} and {outer}" if outer else ""
    return (
        f"{race_hurt(race)} because the node dropped their first packet (SYN){where}, where the service address is "
        "rewritten: two connections were given one tuple at the same moment."
    )

"""What both races have in common: how a race becomes a hypothesis. The causes differ in words, prior and remedies."""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.diagnosis.contract import Hypothesis
from backend.forensics.diagnosis.races.evidence import Race, weigh_race
from backend.forensics.diagnosis.races.rivals import rival_parts
from backend.forensics.diagnosis.races.story import race_figures, race_impact, race_missing, race_steps
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import RemedyPart


@dataclass(frozen=True)
class RaceCause:
    """A cause that is a race; `behind` names what lies beyond the place of the loss."""

    cause: str
    title: str
    prior: float
    behind: str
    references: tuple[str, ...]


def race_hypothesis(
    facts: Facts, race: Race, of: RaceCause, statement: str, remedies: tuple[RemedyPart, ...]
) -> Hypothesis:
    """The weighed race towards one destination."""
    weighed = weigh_race(facts, race)
    located = race.located
    return Hypothesis(
        cause=of.cause,
        title=of.title,
        role="loss",
        statement=statement,
        prior=of.prior,
        steps=tuple(race_steps(facts, race)),
        weighed=tuple(weighed.pieces),
        both_sides=located > 0 and located == len(race.collisions),
        independent=weighed.counters_agree,
        signs=int(race.ports_change) + int(weighed.counters_agree) + int(weighed.rivals_matter),
        findings=tuple(f.id for f in race.findings),
        time_lost_s=race.time_lost_s,
        rivals=tuple(rival_parts(facts, race, weighed)),
        missing=tuple(race_missing(facts, race)),
        remedies=remedies,
        references=of.references,
        refutation=(
            f"it would be refuted by a lost SYN captured behind {of.behind}, or by insert_failed staying flat"
        ),
        figures=race_figures(race),
        impact=race_impact(race),
        attempts=tuple(sorted({loss.attempt.link for loss, _ in race.collisions})),
    )

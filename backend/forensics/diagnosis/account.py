"""Closes the account: each delayed attempt belongs to one cause, the surest that explains it, or to none."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from backend.forensics.diagnosis.contract import Hypothesis, weigh
from backend.forensics.evidence.delays import DELAYED_FROM_S
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence
from backend.forensics.report import AccountLinePart, AccountPart


@dataclass(frozen=True)
class Settled:
    """A hypothesis and the links of the attempts that were left to it."""

    hypothesis: Hypothesis
    taken: frozenset[int]


def settle(facts: Facts, hypotheses: Sequence[Hypothesis]) -> tuple[list[Settled], frozenset[int]]:
    """(the hypotheses with what they take and lose, links of the attempts that nobody takes).

    The surest takes first; of equals the one that claims fewer, since it is the more specific. What cannot be told
    takes nothing."""
    left = set(facts.delays.link.tolist())
    settled: list[Settled] = []
    for hypothesis in sorted(hypotheses, key=_rank):
        if not hypothesis.attempts:
            settled.append(Settled(hypothesis, frozenset()))
            continue
        open_ = weigh(hypothesis)[1] == "cannot-tell"
        taken = frozenset() if open_ else frozenset(left.intersection(hypothesis.attempts))
        left -= taken
        # What cannot be told is about these attempts, but none of their lost time is its own.
        lost_s = facts.delays.lost_by(taken)
        settled.append(Settled(replace(hypothesis, time_lost_s=lost_s), taken))
    return settled, frozenset(left)


def _rank(hypothesis: Hypothesis) -> tuple[float, int, str, str]:
    return -weigh(hypothesis)[0], len(hypothesis.attempts), hypothesis.cause, hypothesis.statement


def draw_up(facts: Facts, settled: Sequence[Settled], rest_cause: str) -> AccountPart | None:
    """The account by addition; what `rest_cause` takes is unexplained, as is what nobody takes."""
    if not facts.has_packets:
        return None
    counted = set(facts.delays.counted)
    named: dict[tuple[str, str], set[int]] = {}
    for each in settled:
        mine = counted & each.taken
        if mine and each.hypothesis.cause != rest_cause:
            key = (each.hypothesis.cause, each.hypothesis.title)
            named.setdefault(key, set()).update(mine)
    rest = frozenset(counted.difference(*named.values()))
    lines = [_line(facts, cause, title, links) for (cause, title), links in named.items()]
    return AccountPart(
        threshold_s=DELAYED_FROM_S,
        delayed=len(counted),
        time_lost_s=round(facts.delays.lost_by(counted), 6),
        explained=sorted(lines, key=lambda line: (-line.time_lost_s, line.cause)),
        unexplained=len(rest),
        unexplained_time_lost_s=round(facts.delays.lost_by(rest), 6),
        unexplained_evidence=frame_evidence(facts.delays.frames_of(rest)),
        unexplained_by=_rest_lines(facts, rest, settled, rest_cause),
    )


def _line(facts: Facts, cause: str, title: str, links: Collection[int]) -> AccountLinePart:
    lost_s = round(facts.delays.lost_by(links), 6)
    return AccountLinePart(cause=cause, title=title, count=len(links), time_lost_s=lost_s)


def _rest_lines(
    facts: Facts, rest: frozenset[int], settled: Sequence[Settled], rest_cause: str
) -> list[AccountLinePart]:
    """Each card that speaks of some of `rest` finds its number here; every link is in one line."""
    of_rest: set[int] = set()
    undecided: set[int] = set()
    for each in settled:
        mine = of_rest if each.hypothesis.cause == rest_cause else undecided
        mine.update(rest.intersection(each.hypothesis.attempts))
    undecided -= of_rest
    parts = (
        (rest_cause, "Cause not established", of_rest),
        ("undecided", "Undecided between causes", undecided),
        ("below-threshold", "No notable finding", rest - of_rest - undecided),
    )
    return [_line(facts, cause, title, links) for cause, title, links in parts if links]

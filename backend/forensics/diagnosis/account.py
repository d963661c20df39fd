"""Closes the account: each delayed attempt belongs to one cause, the surest that explains it, or to none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from backend.forensics.diagnosis.contract import Hypothesis, weigh
from backend.forensics.evidence.attempts.delays import DELAYED_FROM_S, Delays
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import distinct
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

    The surest takes first; of equals the one that claims fewer, since it is the more specific. What is undecided
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
        # What is undecided is about these attempts, but none of their lost time is its own.
        lost_s = facts.delays.lost_by(taken)
        settled.append(Settled(replace(hypothesis, time_lost_s=lost_s), taken))
    return settled, frozenset(left)


def _rank(hypothesis: Hypothesis) -> tuple[float, int, str, str]:
    return -weigh(hypothesis)[0], len(hypothesis.attempts), hypothesis.cause, hypothesis.statement


def draw_up(facts: Facts, settled: Sequence[Settled], rest_cause: str) -> AccountPart | None:
    """The account by addition; what `rest_cause` takes is unexplained, as is what nobody takes."""
    if not facts.has_packets:
        return None
    delays = facts.delays
    counted = delays.counted
    named: dict[tuple[str, str], list[Ints]] = {}
    rest = counted.copy()
    for each in settled:
        mine = delays.positions(each.taken)
        mine = mine[counted[mine]]
        if len(mine) and each.hypothesis.cause != rest_cause:
            named.setdefault((each.hypothesis.cause, each.hypothesis.title), []).append(mine)
            rest[mine] = False
    lines = [_line(delays, *key, distinct(np.concatenate(parts))) for key, parts in named.items()]
    return AccountPart(
        threshold_s=DELAYED_FROM_S,
        delayed=int(counted.sum()),
        time_lost_s=_lost_s(delays, np.flatnonzero(counted)),
        explained=sorted(lines, key=lambda line: (-line.time_lost_s, line.cause)),
        unexplained=int(rest.sum()),
        unexplained_time_lost_s=_lost_s(delays, np.flatnonzero(rest)),
        unexplained_evidence=frame_evidence(delays.frames_of(np.flatnonzero(rest))),
        unexplained_by=_rest_lines(delays, rest, settled, rest_cause),
    )


def _lost_s(delays: Delays, positions: Ints) -> float:
    return round(float(delays.lost_s[positions].sum()), 6)


def _line(delays: Delays, cause: str, title: str, positions: Ints) -> AccountLinePart:
    lost_s = _lost_s(delays, positions)
    return AccountLinePart(cause=cause, title=title, count=len(positions), time_lost_s=lost_s)


def _rest_lines(
    delays: Delays, rest: Bools, settled: Sequence[Settled], rest_cause: str
) -> list[AccountLinePart]:
    """Each card that speaks of some of `rest` finds its number here; every attempt is in one line."""
    of_rest, undecided = np.zeros_like(rest), np.zeros_like(rest)
    for each in settled:
        mine = of_rest if each.hypothesis.cause == rest_cause else undecided
        mine[delays.positions(each.hypothesis.attempts)] = True
    of_rest &= rest
    undecided &= rest & ~of_rest
    parts = (
        (rest_cause, "Cause not established", of_rest),
        ("undecided", "Undecided between causes", undecided),
        ("below-threshold", "No notable finding", rest & ~of_rest & ~undecided),
    )
    return [
        _line(delays, cause, title, np.flatnonzero(those)) for cause, title, those in parts if those.any()
    ]

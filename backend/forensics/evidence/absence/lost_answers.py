"""A SYN that was answered and sent again all the same: how far its answer came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backend.forensics.evidence.attempts.attempts import Attempts, RetriedAttempt, Sighting, Transmission
from backend.forensics.evidence.attempts.sent_syns import Bools, SentSyns
from backend.forensics.evidence.clocks.sightings import Ints, Place


@dataclass(frozen=True)
class LostAnswer:
    """`seen`: the first SYN-ACK, from the server's side on, or the bare ACK or RST; `between`: (last that saw the
    SYN-ACK, first that should have) on its way back."""

    where: str
    seen: tuple[Sighting, ...]
    between: tuple[Place, Place] | None = None


def recorded(place: Place, time_ns: int) -> bool:
    """Absence counts only inside the time that the vantage point demonstrably recorded."""
    if any(begin < time_ns < end for begin, end in place.point.unrecorded_ns):
        return False
    return place.file_ns[0] <= time_ns <= place.file_ns[1]


def held_answers(attempts: Attempts) -> Bools:
    """By transmission: answered before the next SYN, and the vantage point nearest to the client saw as many SYN-ACKs
    of the attempt as any other did, none of them in that time. None was lost: they came late, as behind a router that
    waits for a link address."""
    retried = attempts.retried
    sent, answers = retried.sent, retried.answers
    if not len(answers.rows):
        return np.zeros(len(sent.time_ns), np.bool_)
    rank = np.array(attempts.order.rank, np.int64)
    place, total = attempts.sightings.place, len(rank)
    key, count = np.unique(answers.attempt * total + place[answers.rows], return_counts=True)
    attempt, at = np.divmod(key, total)
    most = np.zeros(len(retried), np.int64)
    np.maximum.at(most, attempt, count)
    nearest = _nearest(sent.attempt[_transmission_of_rows(sent)], rank[place[sent.rows]], len(retried))
    whole = (count == most[attempt]) & (rank[at] == nearest[attempt])
    saw_all = np.zeros(len(retried), np.bool_)
    saw_all[attempt[whole]] = True
    near = rank[place[answers.rows]] == nearest[answers.attempt]
    found: Bools = answers.answer(sent) & saw_all[sent.attempt] & ~answers.chosen(near).answer(sent)
    return found


def _transmission_of_rows(sent: SentSyns) -> Ints:
    return np.repeat(np.arange(len(sent.time_ns)), np.diff(sent.row_start))


def _nearest(attempt: Ints, rank: Ints, attempts_total: int) -> Ints:
    """By attempt the lowest rank of the vantage points that saw its SYNs."""
    found = np.full(attempts_total, np.iinfo(np.int64).max)
    np.minimum.at(found, attempt, rank)
    return found


def trace_answer(
    attempts: Attempts, attempt: RetriedAttempt, sent: Transmission, retry: Transmission | None
) -> LostAnswer:
    """What came between this SYN and the next; something must have."""
    answers = _until(attempt.answers, sent, retry)
    if answers:
        return _follow(attempts, attempt, sent, answers)
    replies = _until(attempt.replies, sent, retry)
    return LostAnswer(f"answered without SYN-ACK at {replies[0].place.name}", replies)


def _until(seen: Sequence[Sighting], sent: Transmission, retry: Transmission | None) -> tuple[Sighting, ...]:
    return tuple(
        s for s in seen if s.time_ns >= sent.time_ns and (retry is None or s.time_ns < retry.time_ns)
    )


def _follow(
    attempts: Attempts, attempt: RetriedAttempt, sent: Transmission, answers: Sequence[Sighting]
) -> LostAnswer:
    """The first SYN-ACK on its way back. A later one is the server's own repeat: it crosses the client's retry and says
    nothing about the loss of the first."""
    first: dict[int, Sighting] = {}
    for answer in answers:
        if answer.place.number in first:
            break
        first[answer.place.number] = answer
    rank = attempts.order.rank
    inner = min(first, key=lambda number: rank[number])
    expected = attempts.expected_places(attempt)
    bound = rank[inner]
    if inner not in {p.number for p in expected}:
        # It came in where no SYN of this route leaves: every place of that host nearer to the client should see it.
        own = [p for p in expected if p.machine == attempts.places[inner].machine]
        bound = rank[own[-1].number] if own else bound
    missing = [
        p
        for p in expected
        if rank[p.number] < bound
        and p.number not in first
        and recorded(p, attempts.clocks.own_time(p.capture, sent.time_ns))
    ]
    way = tuple(sorted(first.values(), key=lambda a: (-rank[a.place.number], a.place.number)))
    if not missing:
        return LostAnswer(f"return path before {attempts.places[inner].name}", way)
    pair = (attempts.places[inner], missing[-1])
    return LostAnswer(f"return path between {pair[0].name} and {pair[1].name}", way, pair)

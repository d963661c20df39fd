"""A SYN that was answered and sent again all the same: how far its answer came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backend.forensics.evidence.attempts.attempts import Attempts, RetriedAttempt, Sighting, Transmission
from backend.forensics.evidence.clocks.sightings import Place


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

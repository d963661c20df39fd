"""Where each transmission was last seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, overload

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.absence.loss_places import locate
from backend.forensics.evidence.absence.lost_answers import LostAnswer, held_answers, trace_answer
from backend.forensics.evidence.attempts.attempts import (
    Attempts,
    Endpoint,
    RetriedAttempt,
    Sighting,
    Transmission,
)
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints, Place
from backend.forensics.evidence.clocks.sorted_rows import distinct
from backend.forensics.wording import plural

UNKNOWN_PLACE = "unknown (one vantage point only)"
HELD = "return path, where the SYN-ACK was delayed, not lost"

LossKind = Literal["inside", "beyond", "return", "held", "replied", "one-sided"]
"""``inside``: between two vantage points; ``beyond``: seen at the last one of several; ``return``: its SYN-ACK was
seen; ``held``: its SYN-ACK was late, not lost; ``replied``: a bare ACK or RST came; ``one-sided``: only one vantage
point could have seen it."""
FRAMES_LISTED: Final = 1_000
"""Of each vantage point: as many as a report shows, and more."""
KINDS: Final[tuple[LossKind, ...]] = ("inside", "beyond", "return", "held", "replied", "one-sided")
ANSWERED: Final[tuple[LossKind, ...]] = ("return", "held", "replied")
"""Something came back for the SYN."""


class Loss:
    """One SYN that was sent again, and where it went missing: a row of `Losses`."""

    __slots__ = ("_all", "number")

    def __init__(self, losses: Losses, number: int) -> None:
        self._all = losses
        self.number = number

    @property
    def attempt(self) -> RetriedAttempt:
        return self._all.attempts.retried[int(self._all.attempt[self.number])]

    @property
    def transmission(self) -> Transmission:
        return self._all.attempts.retried.transmission(int(self._all.sent[self.number]))

    @property
    def retry(self) -> Transmission | None:
        """The next SYN of its attempt."""
        if not self._all.again[self.number]:
            return None
        return self._all.attempts.retried.transmission(int(self._all.sent[self.number]) + 1)

    @property
    def kind(self) -> LossKind:
        return KINDS[int(self._all.kind[self.number])]

    @property
    def where(self) -> str:
        """``between cni0 and eth0``, ``beyond eth0``, ``return path …``, ``answered …`` or `UNKNOWN_PLACE`."""
        if self.kind == "held":
            return HELD
        if self.kind in ANSWERED:
            return self._answer.where
        if self.inside is not None:
            return f"between {self.inside[0].name} and {self.inside[1].name}"
        if self.kind == "one-sided":
            return UNKNOWN_PLACE
        return f"beyond {self._all.attempts.places[int(self._all.inner[self.number])].name}"

    @property
    def inside(self) -> tuple[Place, Place] | None:
        """(last that saw it, first that should have) when it vanished between two vantage points."""
        if self.kind != "inside":
            return None
        places = self._all.attempts.places
        return places[int(self._all.inner[self.number])], places[int(self._all.outer[self.number])]

    @property
    def rewritten(self) -> bool:
        """The path between these two rewrites the address or port of this client's other SYNs."""
        return bool(self._all.rewritten[self.number])

    @property
    def answered_by(self) -> tuple[Sighting, ...]:
        """Of kinds ``return`` and ``held``: the first SYN-ACK, from the server's side on; ``replied``: the bare ACK or
        RST."""
        return self._answer.seen if self.kind in ANSWERED else ()

    @property
    def answer_lost(self) -> tuple[Place, Place] | None:
        """Of kind ``return``: (last that saw the SYN-ACK, first that should have) on its way back."""
        return self._answer.between if self.kind == "return" else None

    @property
    def _answer(self) -> LostAnswer:
        return trace_answer(self._all.attempts, self.attempt, self.transmission, self.retry)


@dataclass(frozen=True, eq=False)
class Losses(Sequence[Loss]):
    """All of them, attempt by attempt and by time. Columns run beside one another: `sent` is the number of the
    transmission and `attempt` the position in `Attempts.retried`, `kind` an index into KINDS, `inner` and `outer` the
    numbers of places (-1 for none)."""

    attempts: Attempts
    sent: Ints
    again: Bools
    """Its attempt sent another SYN after it."""
    kind: NDArray[np.int8]
    inner: Ints
    """The last place that saw it."""
    outer: Ints
    """Of kind ``inside``: the first place that should have seen it."""
    rewritten: Bools

    @cached_property
    def attempt(self) -> Ints:
        positions: Ints = self.attempts.retried.sent.attempt[self.sent]
        return positions

    def __len__(self) -> int:
        return len(self.sent)

    @overload
    def __getitem__(self, index: int) -> Loss: ...
    @overload
    def __getitem__(self, index: slice) -> Losses: ...
    def __getitem__(self, index: int | slice) -> Loss | Losses:
        if isinstance(index, slice):
            return self.chosen(np.arange(len(self))[index])
        return Loss(self, range(len(self))[index])

    def __iter__(self) -> Iterator[Loss]:
        return (Loss(self, number) for number in range(len(self)))

    def chosen(self, which: Ints | Bools) -> Losses:
        """Some of them."""
        return Losses(
            self.attempts,
            self.sent[which],
            self.again[which],
            self.kind[which],
            self.inner[which],
            self.outer[which],
            self.rewritten[which],
        )

    def of_attempts(self, positions: Ints) -> Losses:
        """Those of attempts by their position in `Attempts.retried`, attempt by attempt."""
        return self.chosen(self.numbers_of(positions))

    def numbers_of(self, positions: Ints) -> Ints:
        """The same as indices."""
        first, last = (np.searchsorted(self.attempt, positions + n) for n in (0, 1))
        count = last - first
        within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        numbers: Ints = np.repeat(first, count) + within
        return numbers

    def is_kind(self, *kinds: LossKind) -> Bools:
        """Which of them are of these kinds."""
        return np.isin(self.kind, [KINDS.index(kind) for kind in kinds])

    def towards(self, server: Endpoint) -> Losses:
        """Of attempts to that server, as the client named it."""
        return self.of_attempts(self.attempts.retried_to(server))

    def between_captures(self) -> Bools:
        """Which of them vanished between two vantage points of captures of different machines."""
        machine = np.array([place.machine for place in self.attempts.places], np.int64).reshape(-1, 2)
        apart: Bools = (self.outer >= 0) & (machine[self.inner] != machine[self.outer]).any(axis=1)
        return apart

    @property
    def in_words(self) -> str:
        """``6 lost SYNs``; one that was answered was not lost itself."""
        some_answered = self.is_kind(*ANSWERED).any()
        return plural(len(self), "retransmitted or unanswered SYN" if some_answered else "lost SYN")

    def count_kinds(self) -> dict[str, int]:
        """Number by kind, those that occur."""
        counts = np.bincount(self.kind, minlength=len(KINDS)).tolist()
        return {kind: count for kind, count in zip(KINDS, counts, strict=True) if count}

    def count_places(self) -> Counter[str]:
        """Number by `Loss.where`."""
        counts: Counter[str] = Counter()
        for first, count in self._collapsed():
            counts[self[first].where] += count
        return counts

    @property
    def places(self) -> list[str]:
        """Every `Loss.where`, in order of appearance."""
        return [self[first].where for first, _ in sorted(self._collapsed())]

    def _collapsed(self) -> list[tuple[int, int]]:
        """(first, number) of losses at one place; those that were answered stand for themselves."""
        answered = np.flatnonzero(self.is_kind(*ANSWERED)).tolist()
        others = np.flatnonzero(~self.is_kind(*ANSWERED))
        key = mix(self.kind[others], self.inner[others], self.outer[others])
        _, first, number = np.unique(key, return_index=True, return_counts=True)
        identical = zip(others[first].tolist(), number.tolist(), strict=True)
        return [*((one, 1) for one in answered), *identical]

    @property
    def rows(self) -> Ints:
        """Rows of `Sightings.rows` of the lost SYNs, loss by loss, at every vantage point."""
        sent = self.attempts.retried.sent
        count = sent.row_start[self.sent + 1] - sent.row_start[self.sent]
        within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        rows: Ints = sent.rows[np.repeat(sent.row_start[self.sent], count) + within]
        return rows

    @cached_property
    def frames(self) -> tuple[tuple[str, int], ...]:
        """(input, frame) of the lost SYNs, at every vantage point; the first `FRAMES_LISTED` of each input."""
        seen, rows = self.attempts.sightings, self.rows
        frames_of: list[tuple[str, int]] = []
        for number in distinct(seen.place[rows]).tolist():
            frames = distinct(seen.rows["frame"][rows[seen.place[rows] == number]])[:FRAMES_LISTED]
            frames_of += [(seen.places[number].input, int(frame)) for frame in frames.tolist()]
        return tuple(frames_of)


def locate_losses(attempts: Attempts) -> Losses:
    """The losses of all retried attempts. The last transmission counts as lost when nothing answered it."""
    retried = attempts.retried
    sent = retried.sent
    again = np.ones(len(sent.time_ns), np.bool_)
    again[sent.start[1:] - 1] = False
    has_answer = retried.answers.answer(sent)
    without = retried.is_outcome("unanswered", "unreachable")[sent.attempt] & ~has_answer
    lost = np.flatnonzero(again | without)
    answered, replied = has_answer[lost], retried.replies.answer(sent)[lost]
    kind = np.full(len(lost), KINDS.index("replied"), np.int8)
    kind[answered] = KINDS.index("return")
    kind[answered & held_answers(attempts)[lost]] = KINDS.index("held")
    silent = np.flatnonzero(~answered & ~replied)
    inner, outer = np.full(len(lost), -1, np.int64), np.full(len(lost), -1, np.int64)
    rewritten = np.zeros(len(lost), np.bool_)
    places = locate(attempts, lost[silent])
    inner[silent], outer[silent] = places.inner, places.outer
    rewritten[silent] = places.rewritten
    kind[silent] = np.where(places.alone, KINDS.index("one-sided"), KINDS.index("beyond"))
    kind[outer >= 0] = KINDS.index("inside")
    return Losses(attempts, lost, again[lost], kind, inner, outer, rewritten)

"""What was sent again, and what came back: rows of the joined handshake packets, attempt by attempt and by time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.clocks.sightings import Ints, Sightings
from backend.forensics.evidence.clocks.sorted_rows import first_rows, lexsort, stable_argsort, stable_order

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SentSyns:
    """SYNs put on the wire (*transmissions*), attempt by attempt and by time. `attempt` is a position among the
    attempts that were sent again; `first_row` and `last_row` show where each was seen first and last."""

    attempt: Ints
    time_ns: Ints
    first_row: Ints
    last_row: Ints
    start: Ints
    """Those of attempt n are start[n] up to start[n + 1]."""
    rows: Ints
    """All sightings: those of transmission n are rows[row_start[n] : row_start[n + 1]], in path order."""
    row_start: Ints

    @property
    def of_row(self) -> Ints:
        """The transmission of each of `rows`."""
        return np.repeat(np.arange(len(self.time_ns)), np.diff(self.row_start))


@dataclass(frozen=True, eq=False)
class Followers:
    """Packets that followed the SYNs of attempts, attempt by attempt and by time."""

    attempt: Ints
    rows: Ints
    time_ns: Ints

    def of(self, position: int) -> list[int]:
        """The rows of one attempt."""
        low, high = np.searchsorted(self.attempt, [position, position + 1])
        found: list[int] = self.rows[low:high].tolist()
        return found

    def chosen(self, kept: Bools) -> Followers:
        return Followers(self.attempt[kept], self.rows[kept], self.time_ns[kept])

    def owners(self, attempts_total: int) -> Bools:
        """Which attempts have any."""
        return np.bincount(self.attempt, minlength=attempts_total) > 0

    def answer(self, sent: SentSyns) -> Bools:
        """Which transmissions have one at or after them and before the next one of their attempt."""
        answered = np.zeros(len(sent.time_ns), np.bool_)
        if not len(self.rows):
            return answered
        total = len(sent.time_ns)
        attempt, time_ns = np.append(sent.attempt, self.attempt), np.append(sent.time_ns, self.time_ns)
        is_follower = np.arange(len(attempt)) >= total
        order = lexsort((is_follower, time_ns, attempt))
        before = np.maximum.accumulate(np.where(is_follower[order], -1, order))
        found = before[is_follower[order]]
        own = (found >= 0) & (sent.attempt[found] == attempt[order][is_follower[order]])
        answered[found[own]] = True
        return answered


def list_sent(attempt: Ints, sightings: Sightings, rank: Ints, attempts_total: int) -> SentSyns:
    """`attempt` is that of each row of `sightings`, -1 for rows of others."""
    rows = _ordered(np.flatnonzero((attempt >= 0) & (sightings.transmission >= 0)), attempt, sightings, rank)
    number = sightings.transmission[rows]
    first = np.sort(first_rows(number))
    # Numbered anew in the order of attempts and of time.
    renumbered = np.full(int(number.max(initial=-1)) + 1, -1, np.int64)
    renumbered[number[first]] = np.arange(len(first))
    of_row = renumbered[number]
    order = stable_argsort(of_row)
    row_start = np.searchsorted(of_row[order], np.arange(len(first) + 1))
    by_number = rows[order]
    own = attempt[rows[first]]
    return SentSyns(
        attempt=own,
        time_ns=sightings.time_ns[rows[first]],
        first_row=rows[first],
        last_row=by_number[row_start[1:] - 1],
        start=np.searchsorted(own, np.arange(attempts_total + 1)),
        rows=by_number,
        row_start=row_start,
    )


def list_followers(chosen: Ints, attempt: Ints, sightings: Sightings, rank: Ints) -> Followers:
    """These rows, attempt by attempt and by time."""
    rows = _ordered(chosen, attempt, sightings, rank)
    return Followers(attempt[rows], rows, sightings.time_ns[rows])


def _ordered(rows: Ints, attempt: Ints, sightings: Sightings, rank: Ints) -> Ints:
    order = stable_order(attempt[rows], (sightings.time_ns[rows], rank[sightings.place[rows]]))
    return rows[order]

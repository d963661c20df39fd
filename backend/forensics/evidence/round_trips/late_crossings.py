"""Packets that two vantage points saw, by what each needed from the one to the other: which direction was held up?

A receive queue that stands still holds what one host receives, and what that host sends passes meanwhile. A device
between the two that stops holds both directions, and both arrive when it goes on. Round trips show one direction each;
data that is sent again, of which there are no round trips, is often all that was under way in the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from backend.forensics.captures import Capture
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.clocks.sightings import Ints, join_rows
from backend.forensics.evidence.round_trips.late_answers import LATE_NS, usual
from backend.forensics.evidence.round_trips.round_trips import Keys, RoundTrips, mix_keys
from backend.forensics.signals import SENT_AGAIN, SIGNAL_DTYPE

TOGETHER_SHARE: Final = 0.2
"""Of the longest wait: packets of the other direction that came within so much of the held ones came with them."""


@dataclass(frozen=True)
class Crossings:
    """Packets seen at two vantage points, one a row. `left_ns` is by the clock of the vantage point that they left,
    `took_ns` the difference of the two clocks: only its changes mean anything."""

    start: Ints
    end: Ints
    left_ns: Ints
    took_ns: Ints


class LateCrossings:
    """The packets that needed longer than usual, by the vantage point that they left."""

    def __init__(self, captures: Sequence[Capture], attempts: Attempts, trips: RoundTrips, far: Ints) -> None:
        crossings = _joined([_of_samples(trips, far), _sent_again(captures, attempts)])
        order = np.lexsort((crossings.left_ns, crossings.end, crossings.start))
        crossings = _taken(crossings, order)
        excess_ns, limit_ns = _excess(crossings)
        late = np.flatnonzero(excess_ns > limit_ns)
        late = late[np.lexsort((crossings.left_ns[late], crossings.start[late]))]
        self._start, self._left_ns = crossings.start[late], crossings.left_ns[late]
        self._came_ns = self._left_ns + excess_ns[late]

    def released_with(self, place: int, start_ns: int, end_ns: int) -> int:
        """How many packets left the vantage point `place` from `start_ns` to `end_ns` by its clock, were late, and
        would have arrived at `end_ns` without what they usually need: they were released at that moment."""
        first, last = np.searchsorted(self._start, (place, place + 1))
        begin, end = first + np.searchsorted(self._left_ns[first:last], (start_ns, end_ns))
        apart_ns = np.abs(self._came_ns[begin:end] - end_ns)
        return int(np.count_nonzero(apart_ns <= max(LATE_NS, TOGETHER_SHARE * (end_ns - start_ns))))


def _of_samples(trips: RoundTrips, far: Ints) -> Crossings:
    """Of each sample that was seen a second time the request forth and the response back."""
    near = np.flatnonzero(far >= 0)
    there = far[near]
    rows, place = trips.rows, trips.place
    sent_ns, seen_ns = (rows["sent_ns"][at].astype(np.int64) for at in (near, there))
    answered_ns, answer_left_ns = (
        time_ns + rows["rtt_ns"][at].astype(np.int64) for time_ns, at in ((sent_ns, near), (seen_ns, there))
    )
    return Crossings(
        np.concatenate([place[near], place[there]]),
        np.concatenate([place[there], place[near]]),
        np.concatenate([sent_ns, answer_left_ns]),
        np.concatenate([seen_ns - sent_ns, answered_ns - answer_left_ns]),
    )


def _sent_again(captures: Sequence[Capture], attempts: Attempts) -> Crossings:
    """Of each segment sent again from the vantage point nearest to its sender to each other one."""
    rows = join_rows([c.signals for c in captures], SIGNAL_DTYPE)
    of = np.repeat(np.arange(len(captures)), [len(c.signals) for c in captures]).astype(np.int64)
    again = np.flatnonzero(rows["kind"] & SENT_AGAIN)
    rows, of = rows[again], of[again]
    first_place = np.cumsum([0, *(len(c.vantage_points) for c in captures)])
    place = first_place[of] + rows["vantage"].astype(np.int64)
    sightings = attempts.sightings
    link = sightings.link_of_node[np.array(sightings.node_offset, np.int64)[of] + rows["connection"]]
    rank = np.array(attempts.order.rank, np.int64)[place]
    steps = np.where(rows["from_client"] == 1, rank, -rank)
    time_ns = rows["time_ns"].astype(np.int64)
    key = mix_keys(link, rows["from_client"], rows["sequence"])
    key = mix_keys(key, _number(key, place, time_ns))
    order = np.lexsort((steps, key))
    leads = np.ones(len(order), np.bool_)
    leads[1:] = key[order][1:] != key[order][:-1]
    nearest = order[np.flatnonzero(leads)[np.cumsum(leads) - 1]]
    passed = (steps[order] > steps[nearest]) & (place[order] != place[nearest])
    start, end = nearest[passed], order[passed]
    return Crossings(place[start], place[end], time_ns[start], time_ns[end] - time_ns[start])


def _number(key: Keys, place: Ints, time_ns: Ints) -> Ints:
    """Of each row which of the equal keys of its vantage point it is, by time, from 0."""
    order = np.lexsort((time_ns, place, key))
    new = np.ones(len(order), np.bool_)
    new[1:] = (key[order][1:] != key[order][:-1]) | (place[order][1:] != place[order][:-1])
    starts = np.flatnonzero(new)
    number = np.zeros(len(order), np.int64)
    number[order] = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    return number


def _excess(crossings: Crossings) -> tuple[Ints, Ints]:
    """(how much longer than usual each needed, above what it is late), for rows by both vantage points and time."""
    excess_ns, limit_ns = (np.zeros(len(crossings.start), np.int64) for _ in range(2))
    new = (np.diff(crossings.start) != 0) | (np.diff(crossings.end) != 0)
    bounds = [0, *(np.flatnonzero(new) + 1).tolist(), len(crossings.start)]
    for begin, end in pairwise(bounds):
        took_ns = crossings.took_ns[begin:end]
        base_ns, limit_ns[begin:end] = usual(
            np.zeros(end - begin, np.int64), crossings.left_ns[begin:end], took_ns
        )
        excess_ns[begin:end] = took_ns - base_ns
    return excess_ns, limit_ns


def _joined(parts: Sequence[Crossings]) -> Crossings:
    return Crossings(
        np.concatenate([p.start for p in parts]),
        np.concatenate([p.end for p in parts]),
        np.concatenate([p.left_ns for p in parts]),
        np.concatenate([p.took_ns for p in parts]),
    )


def _taken(crossings: Crossings, rows: Ints) -> Crossings:
    return Crossings(
        crossings.start[rows], crossings.end[rows], crossings.left_ns[rows], crossings.took_ns[rows]
    )

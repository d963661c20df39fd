"""In which order packets pass the vantage points: inferred, never typed in. A SYN is seen earlier nearer to its
sender."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.clocks.sightings import Ints, Sightings
from backend.forensics.packets import ACK, SYN

UNSEEN = np.iinfo(np.int64).max
MAX_PLACES = 64
"""More vantage points than this are ordered by number only: comparing pairs would grow with their square, and the
times of each SYN at each of them would fill the memory."""


@dataclass(frozen=True)
class PathOrder:
    """`rank[place]`: 0 is nearest to the clients. `delay_ns[(a, b)]`: usual and longest time from a to b."""

    rank: tuple[int, ...]
    delay_ns: dict[tuple[int, int], tuple[int, int]]


def first_times(group: Ints, place: Ints, time: Ints, places_total: int) -> Ints:
    """Matrix [group, place] of the earliest time, UNSEEN where there is none. Groups are numbered from 0."""
    groups_total = int(group.max()) + 1 if len(group) else 0
    times = np.full((groups_total, places_total), UNSEEN, np.int64)
    np.minimum.at(times, (group, place), time)
    return times


def _differences(times: Ints, a: int, b: int) -> Ints:
    both = (times[:, a] != UNSEEN) & (times[:, b] != UNSEEN)
    gaps: Ints = times[both, b] - times[both, a]
    return gaps


def order_places(sightings: Sightings) -> PathOrder:
    """Rank the vantage points from client to server and measure the usual delays between them."""
    total = len(sightings.places)
    if total > MAX_PLACES or total == 1:
        return PathOrder((0,) * total, {})
    is_syn = sightings.transmission >= 0
    times = first_times(
        sightings.transmission[is_syn], sightings.place[is_syn], sightings.time_ns[is_syn], total
    )
    before, delays = _precedence(times, total)
    return PathOrder(_ranks(before | _by_answers(sightings, is_syn, total)), delays)


def _by_answers(sightings: Sightings, is_syn: NDArray[np.bool_], total: int) -> NDArray[np.bool_]:
    """The order of places that saw no SYN, as a capture of one direction: the place where the first SYN-ACK of a
    connection is seen earlier is further from the client."""
    before = np.zeros((total, total), np.bool_)
    is_answer = ~is_syn & (sightings.node >= 0)
    is_answer &= (sightings.rows["tcp_flags"] & (SYN | ACK)) == SYN | ACK
    lone = np.setdiff1d(sightings.place[is_answer], sightings.place[is_syn])
    if not len(lone):
        return before
    link = sightings.link_of_node[sightings.node[is_answer]]
    number = np.unique(link, return_inverse=True)[1].astype(np.int64)
    times = first_times(number, sightings.place[is_answer], sightings.time_ns[is_answer], total)
    back, _ = _precedence(times, total)
    before[lone, :], before[:, lone] = back.T[lone, :], back.T[:, lone]
    return before


def _precedence(times: Ints, total: int) -> tuple[NDArray[np.bool_], dict[tuple[int, int], tuple[int, int]]]:
    before = np.zeros((total, total), np.bool_)
    delays: dict[tuple[int, int], tuple[int, int]] = {}
    for a in range(total):
        for b in range(a + 1, total):
            gaps = _differences(times, a, b)
            if not len(gaps):
                continue
            forwards = int(np.count_nonzero(gaps > 0)) >= int(np.count_nonzero(gaps < 0))
            first, second = (a, b) if forwards else (b, a)
            along = gaps[gaps >= 0] if forwards else -gaps[gaps <= 0]
            before[first, second] = True
            delays[first, second] = (int(np.median(along)), int(along.max())) if len(along) else (0, 0)
    return before, delays


def _ranks(before: NDArray[np.bool_]) -> tuple[int, ...]:
    """Length of the longest chain of predecessors; a circle is cut off at the number of places."""
    total = len(before)
    rank = np.zeros(total, np.int64)
    for _ in range(total):
        for b in range(total):
            preceding = rank[before[:, b]]
            if len(preceding):
                rank[b] = min(total, int(preceding.max()) + 1)
    return tuple(int(r) for r in rank)

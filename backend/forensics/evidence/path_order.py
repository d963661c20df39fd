"""In which order packets pass the vantage points, and how far the clocks of their hosts are apart.

Order is inferred, never typed in: a SYN is seen earlier nearer to its sender. Clocks of two captures are
compared with SYNs (forth) and SYN-ACKs (back) matched between them, so that the path's delay cancels out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.sightings import Ints, Sightings
from backend.forensics.packets import ACK, SYN

UNSEEN = np.iinfo(np.int64).max
MAX_PLACES = 64
"""More vantage points than this are ordered by number only: comparing pairs would grow with their square."""


@dataclass(frozen=True)
class ClockOffset:
    """`input`'s clock minus the clock of `reference`, from `matched` packets."""

    input: str
    reference: str
    offset_ns: int
    uncertainty_ns: int
    matched: int
    both_directions: bool


@dataclass(frozen=True)
class PathOrder:
    """`rank[place]`: 0 is nearest to the clients. `delay_ns[(a, b)]`: usual and longest time from a to b."""

    rank: tuple[int, ...]
    delay_ns: dict[tuple[int, int], tuple[int, int]]
    clocks: tuple[ClockOffset, ...]


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


def _syn_ack_times(sightings: Sightings) -> Ints:
    rows = sightings.rows
    back = ((rows["tcp_flags"] & (SYN | ACK)) == (SYN | ACK)) & (sightings.node >= 0)
    link = sightings.link[back]
    group = np.unique(link, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return first_times(
        group, sightings.place[back], rows["time_ns"][back].astype(np.int64), len(sightings.places)
    )


def _compare_clocks(sightings: Sightings, forth: Ints, back: Ints) -> list[ClockOffset]:
    """One offset per capture against the first capture that shares packets and is itself already compared."""
    offsets = {0: 0}
    clocks: list[ClockOffset] = []
    inputs = {p.capture: p.input for p in sightings.places}
    for number in sorted(inputs):
        if number == 0:
            continue
        for known in sorted(offsets):
            clock = _clock_between(sightings, forth, back, known, number)
            if clock is None:
                continue
            offset = offsets[known] + clock.offset_ns
            offsets[number] = offset
            clocks.append(replace(clock, offset_ns=offset, reference=inputs[min(inputs)]))
            break
    return clocks


def _clock_between(sightings: Sightings, forth: Ints, back: Ints, a: int, b: int) -> ClockOffset | None:
    best: ClockOffset | None = None
    for p in (p for p in sightings.places if p.capture == a):
        for q in (q for q in sightings.places if q.capture == b):
            there, again = _differences(forth, p.number, q.number), _differences(back, p.number, q.number)
            if not len(there) or (best is not None and len(there) <= best.matched):
                continue
            there_ns = int(np.median(there))
            again_ns = int(np.median(again)) if len(again) else there_ns
            offset_ns, delay_ns = (there_ns + again_ns) // 2, abs(there_ns - again_ns) // 2
            # Without answers the path's delay looks like a clock offset: trust the clocks up to a second.
            limit_ns = max(1_000_000, 2 * delay_ns) if len(again) else 1_000_000_000
            offset_ns = 0 if abs(offset_ns) <= limit_ns else offset_ns
            best = ClockOffset(q.input, p.input, offset_ns, max(delay_ns, 1_000), len(there), len(again) > 0)
    return best


def order_places(sightings: Sightings) -> PathOrder:
    """Rank the vantage points from client to server and measure the usual delays between them."""
    total = len(sightings.places)
    is_syn = sightings.transmission >= 0
    time = sightings.rows["time_ns"].astype(np.int64)
    forth = first_times(sightings.transmission[is_syn], sightings.place[is_syn], time[is_syn], total)
    clocks: list[ClockOffset] = []
    if total > 1 and len({p.capture for p in sightings.places}) > 1:
        clocks = _compare_clocks(sightings, forth, _syn_ack_times(sightings))
        forth = _shift(forth, sightings, {c.input: c.offset_ns for c in clocks})
    before, delays = _precedence(forth, total)
    return PathOrder(_ranks(before), delays, tuple(clocks))


def _shift(times: Ints, sightings: Sightings, offset_ns: dict[str, int]) -> Ints:
    shift = np.array([offset_ns.get(p.input, 0) for p in sightings.places], np.int64)
    return np.where(times == UNSEEN, UNSEEN, times - shift[None, :])


def _precedence(times: Ints, total: int) -> tuple[NDArray[np.bool_], dict[tuple[int, int], tuple[int, int]]]:
    before = np.zeros((total, total), np.bool_)
    delays: dict[tuple[int, int], tuple[int, int]] = {}
    if total > MAX_PLACES:
        return before, delays
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

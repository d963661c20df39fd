"""A SYN that was seen again elsewhere on its way is a copy, however little its key shows; never a retransmission."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.clocks.sorted_rows import (
    distinct,
    first_rows,
    lexsort,
    renumbered,
    stable_order,
)

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Columns(Protocol):
    """Rows that are read by column."""

    def __getitem__(self, name: str, /) -> NDArray[Any]: ...


SAME_STAMPS_NS = 900_000_000
"""Two SYNs of one connection with the same TSval, or without any and with the same IP ID, at different vantage points:
no stack sends a SYN again before its first timeout of 1 s, which was seen to fire at 0.9979 s."""
OTHER_STAMPS_NS = 50_000_000
"""The same where a middlebox rewrote IP ID or TSval: what no vantage point saw twice within this was sent once
(docs/detection.md bounds copies without a sure key by 50 ms)."""
NEVER_AGAIN_NS = 5_000_000
"""No stack sends a SYN again so soon, unless something came back: the least timer of Linux is two jiffies, 8 ms at 250
Hz (TCP_TIMEOUT_MIN, include/net/tcp.h), and its first time-out 1 s. A switch or a device on the way doubled it."""
_MOST_VANTAGE_POINTS = 8


def merge_copies(rows: Columns, time_ns: Ints, place: Ints, link: Ints, transmission: Ints) -> Ints:
    """The transmissions with those merged that are one SYN at several vantage points.

    All arrays run beside `rows`, SYNs with columns of PACKET_DTYPE. Who sends again is seen again at the same vantage
    point; of two transmissions that no vantage point saw both of, close in time, one is the other seen further on."""
    if not len(place) or place.min() == place.max():
        return transmission
    several = _of_several_transmissions(link, transmission)
    if not len(several):
        return transmission
    stamp, ip_id = (rows[name][several] for name in ("timestamp_value", "ip_id"))
    time_ns, place, link, part = (column[several] for column in (time_ns, place, link, transmission))
    for _ in range(_MOST_VANTAGE_POINTS):
        first, second = _neighbours(stamp, ip_id, time_ns, link, part)
        apart = _no_common_place(first, second, part, place)
        first, second = first[apart], second[apart]
        if not len(first):
            break
        # The pairs of a chain one after the other: each merge may put vantage points together.
        alone = ~np.isin(first, second)
        into = np.arange(int(part.max()) + 1)
        into[second[alone]] = first[alone]
        part = into[part]
    joined = transmission.copy()
    joined[several] = part
    return renumbered(joined)


def merge_near(time_ns: Ints, link: Ints, transmission: Ints, other_time_ns: Ints, other_link: Ints) -> Ints:
    """The transmissions with those merged that follow one another within `NEVER_AGAIN_NS`, whatever their IP ID, and
    with no other packet of their link in between; `other_time_ns` and `other_link` are of those."""
    first = first_rows(transmission)
    start_ns = np.full(len(first), np.iinfo(np.int64).max)
    np.minimum.at(start_ns, transmission, time_ns)
    of = link[first]
    order = stable_order(of, (start_ns,))
    near = (np.diff(of[order]) == 0) & (np.diff(start_ns[order]) < NEVER_AGAIN_NS)
    if not near.any():
        return transmission
    is_other = np.arange(len(first) + len(other_link)) >= len(first)
    merged = lexsort((is_other, np.append(start_ns, other_time_ns), np.append(of, other_link)))
    others_before = np.empty(len(merged), np.int64)
    others_before[merged] = np.cumsum(is_other[merged])
    near &= np.diff(others_before[order]) == 0
    # Each joins the one before it; the chain has the number of its first.
    chain = np.cumsum(np.concatenate([[True], ~near])) - 1
    into = np.empty(len(first), np.int64)
    into[order] = chain
    return into[transmission]


def _of_several_transmissions(link: Ints, transmission: Ints) -> Ints:
    """The rows whose link holds more than one transmission."""
    if not len(link):
        return np.zeros(0, np.int64)
    of = np.zeros(int(transmission.max()) + 1, np.int64)
    of[transmission] = link
    return np.flatnonzero(np.bincount(of, minlength=int(link.max()) + 1)[link] > 1)


def _neighbours(
    stamp: NDArray[np.uint32], ip_id: NDArray[np.uint32], time_ns: Ints, link: Ints, transmission: Ints
) -> tuple[Ints, Ints]:
    """(earlier, later) transmissions of one link, next to each other in time and within the bounds."""
    order = lexsort((time_ns, transmission))
    first_row = order[np.flatnonzero(np.diff(transmission[order], prepend=-1))]
    first_row = first_row[lexsort((time_ns[first_row], link[first_row]))]
    a, b = first_row[:-1], first_row[1:]
    gap = time_ns[b] - time_ns[a]
    near = (link[a] == link[b]) & (gap <= SAME_STAMPS_NS)
    a, b, gap = a[near], b[near], gap[near]
    same = stamp[a] == stamp[b]
    same &= (stamp[a] != 0) | (ip_id[a] == ip_id[b])
    close = same | (gap <= OTHER_STAMPS_NS)
    return transmission[a[close]], transmission[b[close]]


def _no_common_place(first: Ints, second: Ints, transmission: Ints, place: Ints) -> Bools:
    """For each pair: no vantage point saw both."""
    concerned = np.flatnonzero(np.isin(transmission, np.concatenate([first, second])))
    places_total = int(place.max(initial=0)) + 1
    seen = distinct(transmission[concerned] * places_total + place[concerned])
    apart = np.ones(len(first), np.bool_)
    for number in range(places_total):
        at = np.flatnonzero(seen % places_total == number)
        here = seen[at] // places_total
        apart &= ~(np.isin(first, here) & np.isin(second, here))
    return apart

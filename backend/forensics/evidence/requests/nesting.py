"""Intervals inside intervals: which calls lie within which served requests, and how much of them they take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort

CANDIDATES = 64
"""Of the intervals of one key that began before, so many of the latest are looked at: a request that was served while
64 later ones began is one of a load so high that nothing can be determined by times."""


@dataclass(frozen=True)
class Intervals:
    """Intervals (ns) with a key each: only those of one key can lie in one another."""

    key: Ints
    start_ns: Ints
    end_ns: Ints

    def __len__(self) -> int:
        return len(self.key)


def find_containing(outer: Intervals, inner: Intervals) -> tuple[Ints, Ints]:
    """Pairs (row of `outer`, row of `inner`) of which the first contains the second, by inner row."""
    if not len(outer) or not len(inner):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    order = lexsort((outer.start_ns, outer.key))
    before = _begun_before(outer, inner)
    key, end = outer.key[order], outer.end_ns[order]
    found: list[tuple[Ints, Ints]] = []
    active = np.arange(len(inner))
    for back in range(1, CANDIDATES + 1):
        at = before[active] - back
        active, at = active[at >= 0], at[at >= 0]
        same = key[at] == inner.key[active]
        active, at = active[same], at[same]
        if not len(active):
            break
        inside = end[at] >= inner.end_ns[active]
        found.append((order[at[inside]], active[inside]))
    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    outers, inners = (np.concatenate(column) for column in zip(*found, strict=True))
    by = lexsort((outers, inners))
    return outers[by], inners[by]


def _begun_before(outer: Intervals, inner: Intervals) -> Ints:
    """For each inner: how many outers, sorted by (key, start), come before it."""
    key = np.concatenate([outer.key, inner.key])
    start = np.concatenate([outer.start_ns, inner.start_ns])
    is_inner = np.arange(len(key)) >= len(outer)
    order = lexsort((is_inner, start, key))
    outers_so_far = np.cumsum(~is_inner[order])
    before = np.zeros(len(key), np.int64)
    before[order] = outers_so_far
    return before[len(outer) :]


def covered_ns(outer: Intervals, inner: Intervals, pairs: tuple[Ints, Ints]) -> Ints:
    """For each outer: how much of it its inners cover; what several cover at once counts once."""
    covered = np.zeros(len(outer), np.int64)
    outers, inners = pairs
    if not len(outers):
        return covered
    begin = np.maximum(inner.start_ns[inners], outer.start_ns[outers]) - outer.start_ns[outers]
    end = np.minimum(inner.end_ns[inners], outer.end_ns[outers]) - outer.start_ns[outers]
    order = lexsort((begin, outers))
    outers, begin, end = outers[order], begin[order], end[order]
    # One running maximum for all outers: each has a stretch of the number line to itself.
    begins = np.flatnonzero(np.diff(outers, prepend=-1))
    width = np.maximum.reduceat(end, begins) + 1
    shift = np.repeat(np.cumsum(width) - width, np.diff(begins, append=len(outers)))
    reached = np.maximum.accumulate(end + shift)
    reached_before = np.concatenate([[0], reached[:-1]]) - shift
    added = end - np.maximum(begin, np.maximum(reached_before, 0))
    np.add.at(covered, outers, np.maximum(added, 0))
    return covered

"""Destinations that differ in nothing but their address: a scan has a hundred thousand that never answer, and a network
that loses packets as many that lose a SYN."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort, stable_argsort

APART_MOST = 20
"""Destinations of one kind that are distinguished: more are no list that anybody reads, and what is said of the rest is
the same sentence with another address."""
ANSWERED_APART_MOST = 100
"""The same of destinations that were answered at other times: as many as there are findings on repeated SYNs."""


def merge_identical(traits: Sequence[NDArray[np.generic]], silent: Bools, attempts: Ints) -> list[Ints]:
    """Numbers of the destinations that belong together, in order of the first of each. Arrays run beside the
    destinations: those that are equal in `silent` and in all `traits` are one, but for the `APART_MOST`
    (`ANSWERED_APART_MOST`) with the most `attempts`, where there are more than that many."""
    numbers = np.arange(len(attempts))
    if not len(numbers):
        return []
    kind = np.unique(mix(silent, *traits), return_inverse=True)[1].reshape(-1)
    order = lexsort((numbers, -attempts, kind))
    starts = np.flatnonzero(np.diff(kind[order], prepend=-1))
    place = np.empty(len(numbers), np.int64)
    place[order] = numbers - np.repeat(starts, np.diff(np.append(starts, len(numbers))))
    apart_most = np.where(silent, APART_MOST, ANSWERED_APART_MOST)
    crowd = np.bincount(kind)[kind] > apart_most
    # Without an attempt more than the others nothing sets one apart.
    usual = np.zeros(int(kind.max()) + 1, np.int64)
    usual[kind[order]] = attempts[order]
    merged = crowd & ((place >= apart_most) | (attempts == usual[kind]))
    label = np.where(merged, len(numbers) + kind, numbers)
    together = stable_argsort(label)
    cuts = np.flatnonzero(np.diff(label[together])) + 1
    return sorted(np.split(together, cuts), key=lambda members: int(members[0]))

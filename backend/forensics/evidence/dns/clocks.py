"""Clocks of several captures, compared by the lookups that both saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.sightings import Ints, Place
from backend.forensics.evidence.clocks.sorted_rows import lexsort

SPREAD_NS = 50_000_000
"""Offsets that differ by more are no single offset: the queries only look alike."""
MATCHED_LEAST = 2
SURE_TO_NS = 1_000


@dataclass(frozen=True)
class Offsets:
    """Per vantage point: what is to be taken from its times to come to the reference clock, and how sure that is (0 on
    the reference clock)."""

    of_place: Ints
    uncertainty: Ints


def measure_offsets(sightings: NDArray[np.void], places: Sequence[Place]) -> Offsets:
    """Against the first capture that shares queries; half the sum of the way there and the way back, so that the
    path's delay cancels out. Captures that share none keep their clock."""
    found, unsure = np.zeros(len(places), np.int64), np.zeros(len(places), np.int64)
    captures = sorted({p.capture for p in places})
    if len(captures) < 2 or not len(sightings):
        return Offsets(found, unsure)
    capture = np.array([p.capture for p in places], np.int64)[sightings["place"]]
    known: dict[int, tuple[int, int]] = {}
    unique = {n: _unique(sightings[capture == n]) for n in captures}
    for number in captures:
        if not len(unique[number]):
            continue
        known[number] = _against(unique, known, number) or (0, 0)
    for place in places:
        found[place.number], unsure[place.number] = known.get(place.capture, (0, 0))
    return Offsets(found, unsure)


def _unique(rows: NDArray[np.void]) -> NDArray[np.void]:
    """The first sighting of each (id, type, name) that this capture saw on one socket only per vantage point."""
    order = lexsort((rows["start_ns"], rows["name"], rows["type"], rows["id"]))
    rows = rows[order]
    first = np.ones(len(rows), np.bool_)
    first[1:] = _key(rows[1:]) != _key(rows[:-1])
    return rows[first]


def _key(rows: NDArray[np.void]) -> NDArray[np.uint64]:
    wide: NDArray[np.uint64] = rows["name"].astype(np.uint64) << np.uint64(32)
    wide |= rows["id"].astype(np.uint64) << np.uint64(16)
    return wide | rows["type"].astype(np.uint64)


def _against(
    unique: dict[int, NDArray[np.void]], known: dict[int, tuple[int, int]], number: int
) -> tuple[int, int] | None:
    """(offset, uncertainty) in ns."""
    mine = unique[number]
    for other, (offset, unsure) in sorted(known.items()):
        theirs = unique[other]
        _, here, there = np.intersect1d(_key(mine), _key(theirs), return_indices=True)
        answered = (mine["answer_ns"][here] != NEVER) & (theirs["answer_ns"][there] != NEVER)
        here, there = here[answered], there[answered]
        if len(here) < MATCHED_LEAST:
            continue
        forth = mine["start_ns"][here] - theirs["start_ns"][there]
        back = mine["answer_ns"][here] - theirs["answer_ns"][there]
        middle = (forth + back) // 2
        best = int(np.median(middle))
        if int(np.median(np.abs(middle - best))) <= SPREAD_NS:
            delay = int(np.median(np.abs(forth - back))) // 2
            # What the path's own delay can explain is no offset: captures of one host share its clock.
            best = 0 if abs(best) <= 2 * delay else best
            return offset + best, unsure + max(delay, SURE_TO_NS)
    return None

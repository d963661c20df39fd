"""Samples seen at a second vantage point, nearer to the responder: on which way did a question wait?

Between the two vantage points a question takes its time forth and its answer back; the rest passed beyond the farther
one. What each part usually takes is known from undisturbed samples of the same time, so neither an offset between the
clocks nor a slow drift matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort, stable_argsort
from backend.forensics.evidence.round_trips.held_groups import HeldGroup, Series
from backend.forensics.evidence.round_trips.round_trips import RoundTrips

COMPARED: Final = 200
"""Undisturbed samples nearest in time that show what is usual: within a second or two, where clocks cannot drift."""
CLEAR_SHARE: Final = 0.6
"""A part that explains this much of the waiting is where it was waited."""
LEAST_SEEN: Final = 3

FORTH: Final = "forth"
BEYOND: Final = "beyond"
BACK: Final = "back"


@dataclass(frozen=True)
class FarView:
    """What the farther vantage point shows of a group. `part`: FORTH and BACK lie between the two vantage points,
    BEYOND is behind the farther one; "" when no part stands out."""

    part: str
    seen: int
    """Held samples that were seen there."""
    place: int
    """The farther vantage point."""
    turnaround_ns: int
    """What undisturbed questions usually took beyond it: next to nothing at the responder itself."""
    burst_bytes: int
    """That had reached it from the prober just before the group's first question."""
    usual_bytes: int
    rows: Ints
    """Positions of the sightings in `RoundTrips.rows`."""
    against: int
    """Held samples that waited between the two vantage points in the direction that is not `part`."""
    transit_ns: int
    """What undisturbed samples needed between the two vantage points, forth and back together."""


class FarSide:
    """Joins samples over vantage points."""

    def __init__(self, trips: RoundTrips) -> None:
        self._trips = trips
        self._far = _farthest(trips)

    @property
    def farthest(self) -> Ints:
        """Of each sample that counts the sighting with the shortest round trip elsewhere, -1 without one."""
        return self._far

    def view(self, group: HeldGroup) -> FarView | None:
        """None where too few of the group were seen a second time."""
        near = group.rows
        near = near[self._far[near] >= 0]
        if len(near) < LEAST_SEEN or 2 * len(near) < len(group.held):
            return None
        quiet = self._quiet(group.series, group.start_ns)
        if len(quiet) < LEAST_SEEN:
            return None
        usual = self._parts(quiet)
        excess = [held - np.median(base) for held, base in zip(self._parts(near), usual, strict=True)]
        waited = np.array([np.median(part) for part in excess])
        total = float(waited.sum())
        best = int(waited.argmax())
        part = (FORTH, BEYOND, BACK)[best] if waited[best] >= CLEAR_SHARE * total > 0 else ""
        against = {FORTH: excess[2], BACK: excess[0]}.get(part)
        rows = self._trips.rows
        far = self._far[near]
        first = far[stable_argsort(rows["sent_ns"][far])[:1]]
        return FarView(
            part,
            len(near),
            int(self._trips.place[far[0]]),
            int(np.median(usual[1])),
            int(rows["recent_bytes"][first[0]]),
            int(np.median(rows["recent_bytes"][self._far[quiet]])),
            far,
            0 if against is None else int(np.count_nonzero(against >= CLEAR_SHARE * sum(excess))),
            int(np.median(usual[0] + usual[2])),
        )

    def _quiet(self, series: Series, at_ns: int) -> Ints:
        usual = np.flatnonzero((series.excess_ns <= series.limit_ns) & (self._far[series.rows] >= 0))
        nearest = usual[stable_argsort(np.abs(series.sent_ns[usual] - at_ns))[:COMPARED]]
        return series.rows[nearest]

    def _parts(self, near: Ints) -> tuple[Ints, Ints, Ints]:
        """(forth, beyond, back) of samples; forth and back contain the offset of the clocks, with opposite signs."""
        rows, far = self._trips.rows, self._far[near]
        forth = rows["sent_ns"][far] - rows["sent_ns"][near]
        beyond = rows["rtt_ns"][far]
        return forth, beyond, rows["rtt_ns"][near] - beyond - forth


def _farthest(trips: RoundTrips) -> Ints:
    """Of each sample that counts the sighting with the shortest round trip elsewhere, -1 without one. A key that came
    twice at one place (echo numbers wrap) joins nothing."""
    far = np.full(len(trips.rows), -1, np.int64)
    if not len(far):
        return far
    order = lexsort((trips.rows["rtt_ns"], trips.key))
    key, place = trips.key[order], trips.place[order]
    starts = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    sizes = np.diff(starts, append=len(order))
    by_place = lexsort((trips.place, trips.key))
    twice = (trips.key[by_place][1:] == trips.key[by_place][:-1]) & (
        trips.place[by_place][1:] == trips.place[by_place][:-1]
    )
    ambiguous = np.isin(key[starts], trips.key[by_place][1:][twice])
    farthest = np.repeat(np.where(ambiguous, -1, order[starts]), sizes)
    elsewhere = (farthest >= 0) & (trips.place[np.maximum(farthest, 0)] != place)
    far[order] = np.where(elsewhere, farthest, -1)
    far[~trips.nearest] = -1
    return far

"""SYNs of several sources that wanted one tuple at one moment: which lost SYN had a rival."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from backend.forensics.evidence.absence.losses import Losses
from backend.forensics.evidence.attempts.attempts import Attempts, Endpoint, Sighting
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints, Place
from backend.forensics.evidence.clocks.sorted_rows import lexsort, stable_order, taken

NEAR_MOST = 100
"""SYNs before and after a lost one that are looked at: a flood with one source port and one time has a million."""
_TARGET = ("destination_high", "destination_low", "destination_port", "source_port")


@dataclass(frozen=True)
class Rival:
    """Another source's SYN with the same source port to the same destination."""

    source: Endpoint
    place: Place
    time_ns: int
    frame: int
    distance_ns: int
    link: int
    lost_frame: int
    """Of the lost SYN itself, where the distance was measured."""


def find_rivals(attempts: Attempts, losses: Losses, *, within_ns: int) -> dict[int, Rival]:
    """By index of the loss: the nearest SYN of another source, with its source port, to its destination."""
    if not len(losses):
        return {}
    index = _SynIndex(attempts)
    sent = attempts.retried.sent
    near = index.has_other_source(within_ns)
    hit = np.zeros(len(sent.time_ns), np.bool_)
    hit[sent.of_row[near[sent.rows]]] = True
    rivals: dict[int, Rival] = {}
    for number in np.flatnonzero(hit[losses.sent]).tolist():
        at = int(losses.sent[number])
        link = int(attempts.retried.link[sent.attempt[at]])
        rows = sent.rows[sent.row_start[at] : sent.row_start[at + 1]].tolist()
        candidates = [r for row in rows for r in index.near(row, link, within_ns)]
        if candidates:
            rivals[number] = min(candidates, key=lambda r: (r.distance_ns, r.place.number, r.frame))
    return rivals


class _SynIndex:
    """SYNs sorted by (place, network, destination, ports) and time so that neighbours are found by bisection."""

    def __init__(self, attempts: Attempts) -> None:
        self._attempts = attempts
        seen = attempts.sightings
        syns = np.flatnonzero(seen.transmission >= 0)
        key = mix(seen.place[syns], seen.network[syns], *(taken(seen.rows[name], syns) for name in _TARGET))
        order = stable_order(key, (seen.time_ns[syns],))
        self._rows, self._key = syns[order], key[order]
        self._time = seen.time_ns[self._rows]
        source = mix(*(taken(seen.rows[name], self._rows) for name in ("source_high", "source_low")))
        self._new_group = np.append(True, self._key[1:] != self._key[:-1])
        self._new_source = self._new_group | np.append(True, source[1:] != source[:-1])

    def has_other_source(self, within_ns: int) -> Bools:
        """By row of the sightings: another source wanted the same tuple so soon before or after. Of each run of one
        source the rows next to it are the nearest of another."""
        total = len(self._rows)
        starts = np.flatnonzero(self._new_source)
        run = np.cumsum(self._new_source) - 1
        before, behind = starts[run] - 1, np.append(starts, total)[run + 1]
        group = np.append(np.cumsum(self._new_group), 0)
        time = np.append(self._time, 0)
        near = np.zeros(total, np.bool_)
        for other in (before, behind):
            other = np.where(other < 0, total, other)
            near |= (group[other] == group[:total]) & (np.abs(time[other] - self._time) <= within_ns)
        found = np.zeros(len(self._attempts.sightings.rows), np.bool_)
        found[self._rows[near]] = True
        return found

    def near(self, row: int, link: int, within_ns: int) -> list[Rival]:
        """The SYNs of other sources and connections near this one of `link`."""
        seen, retried = self._attempts.sightings, self._attempts.retried
        own = retried.sighting(row)
        vlan = self._last_vlan(link, own.place)
        return [
            self._rival(other, own)
            for other in self._around(row, within_ns)
            if seen.link[other] != link
            # One tuple in two VLANs is two: their networks need not meet.
            and seen.rows["vlan"][other] == vlan
            and self._source(other) != (own.source.high, own.source.low)
        ]

    def _around(self, row: int, within_ns: int) -> list[int]:
        """Rows with the same place, network, destination and ports, close in time."""
        seen = self._attempts.sightings
        one = np.array([row])
        key = mix(seen.place[one], seen.network[one], *(seen.rows[name][one] for name in _TARGET))[0]
        low, high = np.searchsorted(self._key, key, "left"), np.searchsorted(self._key, key, "right")
        at_ns = int(seen.time_ns[row])
        window = [at_ns - within_ns, at_ns, at_ns + within_ns + 1]
        first, middle, last = np.searchsorted(self._time[low:high], window)
        # The nearest are around the middle; where very many share one moment, any of them is as near.
        first, last = max(first, middle - NEAR_MOST), min(last, middle + NEAR_MOST)
        found: list[int] = self._rows[low + first : low + last].tolist()
        return found

    def _source(self, row: int) -> tuple[int, int]:
        packet = self._attempts.sightings.rows[row]
        return int(packet["source_high"]), int(packet["source_low"])

    def _last_vlan(self, link: int, place: Place) -> int:
        """That of the attempt's SYNs there; of several the last in the capture's order."""
        seen, retried = self._attempts.sightings, self._attempts.retried
        position = int(retried.position_of_link[link])
        first, last = retried.sent.row_start[retried.sent.start[position : position + 2]]
        rows: Ints = retried.sent.rows[first:last]
        return int(seen.rows["vlan"][rows[seen.place[rows] == place.number].max()])

    def _rival(self, row: int, own: Sighting) -> Rival:
        other = self._attempts.retried.sighting(row)
        distance_ns = abs(other.time_ns - own.time_ns)
        link = int(self._attempts.sightings.link[row])
        return Rival(other.source, own.place, other.time_ns, other.frame, distance_ns, link, own.frame)


@dataclass(frozen=True)
class RivalTable:
    """SYNs towards a server at one vantage point, by whether another source's SYN shared port and moment."""

    rivalled: int
    alone: int


def count_rivalled(attempts: Attempts, place: Place, server: Endpoint, *, within_ns: int) -> RivalTable:
    """How common rivals are among *all* SYNs: lost SYNs that all had one prove little where every SYN has
    one."""
    syns = attempts.sightings.rows[attempts.syns_at(place, server)]
    order = lexsort((syns["time_ns"], syns["source_port"]))
    syns = syns[order]
    other = (syns["source_port"][1:] == syns["source_port"][:-1]) & (
        (syns["source_low"][1:] != syns["source_low"][:-1])
        | (syns["source_high"][1:] != syns["source_high"][:-1])
    )
    close = other & (np.diff(syns["time_ns"]) <= within_ns)
    rivalled = np.zeros(len(syns), np.bool_)
    rivalled[1:] |= close
    rivalled[:-1] |= close
    return RivalTable(int(np.count_nonzero(rivalled)), int(np.count_nonzero(~rivalled)))

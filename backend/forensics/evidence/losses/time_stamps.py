"""Whose SYNs carried a time stamp lower than the one before from their address, by the host they went to.

All SYNs are sorted once, and compared as if each had been accepted; what is different where some of them were lost is
made up for around those alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.absence.destination import Destination
from backend.forensics.evidence.absence.losses import Losses
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.clocks.grouped_rows import GroupedRows
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints, boundaries
from backend.forensics.evidence.clocks.sorted_rows import distinct, place_in, stable_order, taken

_COLUMNS = ("destination_high", "destination_low", "source_high", "source_low", "time_ns", "timestamp_value")
MEMORY_NS = 60_000_000_000
"""TCP_PAWS_MSL: how long a server remembers an address's last time stamp."""


@dataclass(frozen=True)
class StampCounts:
    """SYNs towards one host that followed another one of their address within a minute, by whether the time stamp is
    lower than the last accepted one, and whether the SYN was lost."""

    lower_lost: int
    lower_passed: int
    higher_lost: int
    higher_passed: int


def _is_lower(before: Ints, stamps: Ints) -> NDArray[np.bool_]:
    """RFC 7323 section 5.2: s < t when 0 < (t - s) < 2^31."""
    back = (before - stamps) % 2**32
    return (back > 0) & (back < 2**31)


class StampedSyns:
    """SYNs with time stamps as each vantage point saw them: by host, by source, by time."""

    def __init__(self, attempts: Attempts) -> None:
        seen = attempts.sightings
        self._row: Ints = np.flatnonzero((seen.transmission >= 0) & (seen.rows["timestamp_value"] != 0))
        place = seen.place[self._row]
        # Column by column: whole rows of all SYNs are 200 MB of a million.
        destination_high, destination_low, source_high, source_low, time_ns, stamp = (
            taken(seen.rows[name], self._row) for name in _COLUMNS
        )
        host, source = (place, destination_high, destination_low), (source_high, source_low)
        # In no order of hosts or of sources, only together: one key of each sorts.
        order = stable_order(mix(*host), (mix(*source), time_ns))
        self._position = np.empty(len(order), np.int64)
        self._position[order] = np.arange(len(order))
        self._time_ns = time_ns[order].astype(np.int64)
        self._stamp = stamp[order].astype(np.int64)
        self._begins = boundaries((*host, *source), order)
        starts = np.flatnonzero(boundaries(host, order))
        self._bounds = np.append(starts, len(order))
        first = order[starts]
        key = mix(*(column[first] for column in host[1:]))
        self._hosts = GroupedRows(place[first], key)
        known, lower = self._compare(np.arange(1, len(order)), np.arange(len(order) - 1))
        known &= ~self._begins[1:]
        self._known = np.append(0, np.cumsum(np.append(False, known)))
        self._lower = np.append(0, np.cumsum(np.append(False, known & lower)))

    def _compare(self, those: Ints, before: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(within the memory of the one before, with a lower stamp)."""
        near = self._time_ns[those] - self._time_ns[before] < MEMORY_NS
        return near, _is_lower(self._stamp[before], self._stamp[those])

    def count(self, destination: Destination) -> StampCounts:
        """At the vantage point furthest out: there SYNs carry the address that the server remembers."""
        place, lost = destination.outermost.number, self._lost(destination.losses)
        counts = np.zeros((2, 2), np.int64)  # [lower][lost]
        for key in destination.hosts.tolist():
            for host in self._hosts.of(place, key).tolist():
                first, last = (int(n) for n in self._bounds[host : host + 2])
                lower = self._lower[last] - self._lower[first]
                counts[:, 0] += (self._known[last] - self._known[first] - lower, lower)
                begin, end = np.searchsorted(lost, (first, last))
                self._without(lost[begin:end], last, counts)
        (higher_passed, higher_lost), (lower_passed, lower_lost) = counts.tolist()
        return StampCounts(lower_lost, lower_passed, higher_lost, higher_passed)

    def _lost(self, losses: Losses) -> Ints:
        """Positions of the lost SYNs, at all vantage points, ascending."""
        rows = losses.rows
        at = place_in(self._row, rows)
        stamped = at < len(self._row)
        stamped[stamped] = self._row[at[stamped]] == rows[stamped]
        return distinct(self._position[at[stamped]])

    def _without(self, lost: Ints, last: int, counts: NDArray[np.int64]) -> None:
        """The host forgets nothing for a SYN that never came: those and the ones right behind them are counted anew."""
        accepted: dict[int, int] = {}
        """By lost SYN: the one of its source before it that was not lost, -1 for none."""
        for n in lost.tolist():
            accepted[n] = -1 if self._begins[n] else accepted.get(n - 1, n - 1)
        behind = [
            n + 1 for n in accepted if n + 1 < last and n + 1 not in accepted and not self._begins[n + 1]
        ]
        for n in (*accepted, *behind):
            if self._known[n + 1] - self._known[n]:
                counts[int(self._lower[n + 1] - self._lower[n]), 0] -= 1
            before = accepted[n] if n in accepted else accepted[n - 1]
            if before >= 0 and self._time_ns[n] - self._time_ns[before] < MEMORY_NS:
                counts[int(_is_lower(self._stamp[before], self._stamp[n])), int(n in accepted)] += 1

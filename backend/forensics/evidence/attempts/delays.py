"""What waiting for connections cost: per attempt, against the usual handshake to that destination.

The account of a report is kept in these rows: every attempt delayed by `DELAYED_FROM_S` or more is taken by one
cause or stands as unexplained."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.clocks.sightings import Ints, boundaries
from backend.forensics.evidence.clocks.sorted_rows import distinct, lexsort, stable_argsort, taken

Words = NDArray[np.uint64]
Ports = NDArray[np.uint16]
Server = tuple[int, int, int]
"""(address high, address low, port)."""
Frame = tuple[str, int]
"""(input, 1-based frame number)."""

FRAMES_LISTED: Final = 1_000
"""Of each input: as many as a report shows."""
DELAYED_FROM_S = 0.9
"""The shortest first back-off of a SYN is 1 s and was seen to fire at 0.9979 s: what waits less has another story."""


@dataclass(frozen=True)
class Delays:
    """Attempts that waited: those whose SYN was sent again, and those answered `DELAYED_FROM_S` late without.

    `link`, `row` (in the table of attempts) and `lost_s` (connect delay minus baseline) run side by side, by link."""

    link: Ints
    row: Ints
    lost_s: NDArray[np.float64]
    attempts: Attempts
    measured: NDArray[np.bool_]
    """Beside the table of attempts: whether a clock measured all times of the attempt."""
    baseline_s: dict[Server, float]
    """Usual handshake time per destination, of connections that opened with their first SYN."""

    def lost_by(self, links: Iterable[int]) -> float:
        """Seconds that these attempts lost together; links without a delay count nothing."""
        return float(self.lost_s[self.positions(links)].sum())

    def positions(self, links: Iterable[int]) -> Ints:
        """Where in `link` these are, ascending; those without a delay are left out."""
        wanted = distinct(np.fromiter(links, np.int64))
        at = np.searchsorted(self.link, wanted)
        known = at < len(self.link)
        known[known] = self.link[at[known]] == wanted[known]
        return at[known]

    @property
    def counted(self) -> NDArray[np.bool_]:
        """Beside `link`: the attempts that the account is about."""
        return self.lost_s >= DELAYED_FROM_S

    def frames_of(self, positions: Ints) -> list[Frame]:
        """(input, frame) of the SYNs of these attempts, each where it was seen first; of each input the first
        `FRAMES_LISTED`."""
        retried, seen = self.attempts.retried, self.attempts.sightings
        table, row = self.attempts.table, self.row[positions]
        once = row[taken(table["transmissions"], row) == 1]
        again = retried.position_of_link[self.link[positions]]
        chosen = np.zeros(len(retried), np.bool_)
        chosen[again[again >= 0]] = True
        first = retried.sent.first_row[chosen[retried.sent.attempt]]
        at = np.append(taken(table["place"], once), seen.place[first])
        frames = np.append(taken(table["frame"], once), taken(seen.rows["frame"], first))
        capture = np.array([place.capture for place in self.attempts.places], np.int64)[at]
        inputs = {place.capture: place.input for place in self.attempts.places}
        return [
            (inputs[number], frame)
            for number in distinct(capture).tolist()
            for frame in distinct(frames[capture == number])[:FRAMES_LISTED].tolist()
        ]


def measure_delays(attempts: Attempts, measured: NDArray[np.bool_]) -> Delays:
    """Compare every attempt with the median handshake to its destination; what was not `measured` lost nothing."""
    table = attempts.table
    if not len(table):
        return Delays(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), attempts, measured, {})
    group, servers = _groups(table)
    high, low, port = servers
    usual_s = _usual(table, group, len(port), measured)
    host_of, hosts_total = _hosts(high, low)
    host_usual_s = _usual(table, host_of[group], hosts_total, measured)[host_of]
    known_s = np.where(np.isnan(usual_s), host_usual_s, usual_s)
    lost_s = np.where(measured, _lost(attempts, np.nan_to_num(known_s)[group]), 0.0)
    rows = np.flatnonzero((table["transmissions"] > 1) | (lost_s >= DELAYED_FROM_S))
    rows = rows[stable_argsort(table["link"][rows])]
    known = ~np.isnan(usual_s)
    ends = zip(*(column[known].tolist() for column in servers), strict=True)
    baseline = dict(zip(ends, usual_s[known].tolist(), strict=True))
    return Delays(table["link"][rows].copy(), rows, lost_s[rows], attempts, measured, baseline)


def _groups(table: NDArray[np.void]) -> tuple[Ints, tuple[Words, Words, Ports]]:
    """(number of each row's server, the halves of its address and its port by that number, in their order)."""
    high, low, port = (np.ascontiguousarray(table[f"server_{part}"]) for part in ("high", "low", "port"))
    order = lexsort((port, low, high))
    new = boundaries((low, port, high), order)
    group = np.empty(len(table), np.int64)
    group[order] = np.cumsum(new) - 1
    first = order[new]
    return group, (high[first], low[first], port[first])


def _hosts(high: Words, low: Words) -> tuple[Ints, int]:
    """(number of each server's host, how many hosts); servers are sorted, so those of one host stand together."""
    new = np.ones(len(low), np.bool_)
    new[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
    return np.cumsum(new) - 1, int(new.sum())


def _usual(
    table: NDArray[np.void], group: Ints, groups_total: int, measured: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Median handshake in seconds per group, NaN for none."""
    usual = np.flatnonzero((table["transmissions"] == 1) & (table["connect_delay_ns"] != NEVER) & measured)
    medians = np.full(groups_total, np.nan)
    order = usual[lexsort((table["connect_delay_ns"][usual], group[usual]))]
    found, start, count = np.unique(group[order], return_index=True, return_counts=True)
    delay = table["connect_delay_ns"][order].astype(np.float64)
    low, high = start + (count - 1) // 2, start + count // 2
    medians[found] = (delay[low] + delay[high]) / 2e9 if len(found) else np.nan
    return medians


def _lost(attempts: Attempts, usual_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Connect delay minus the usual; an attempt that never opened lost the time until its last SYN."""
    table = attempts.table
    waited = table["connect_delay_ns"]
    lost = np.where(waited != NEVER, waited / 1e9 - usual_s, 0.0)
    retried = attempts.retried
    answered = ~np.isnan(retried.connect_delay_s)
    own_s = np.where(answered, retried.connect_delay_s - usual_s[retried.row], retried.waited_s)
    # The refusal is the answer; some clients ask again all the same.
    refused = np.flatnonzero(retried.is_outcome("refused") & ~answered)
    first_reply = np.searchsorted(retried.replies.attempt, refused)
    own_s[refused] = (retried.replies.time_ns[first_reply] - retried.start_ns[refused]) / 1e9
    lost[retried.row] = own_s
    return np.maximum(lost, 0.0)

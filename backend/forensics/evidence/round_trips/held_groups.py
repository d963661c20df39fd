"""Groups of answers that came together after waiting for unequal times: the raw material of two detectors.

A queue that stands still holds what is sent into it and gives it back at once: each answer is late by what was left of
the stall when its question was sent, so round trips fall by 1 ms per ms of sending (slope -1). A queue that drains at
the rate of a link gives them back one after the other: the slope is less steep by the share of the link that they
take. No interval between probes is needed, and groups are found by the time of their answers, because with several
queues quick answers lie in between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.evidence.round_trips.late_answers import TOGETHER_NS, Floats, together, usual
from backend.forensics.evidence.round_trips.round_trips import RoundTrips
from backend.forensics.round_trips import BY_KERNEL, ECHO, PRINTED
from backend.forensics.significance import poisson_tail

NEAR_NS: Final = 5_000_000_000
"""How far around a group late answers are counted to find how often answers come together by chance."""
TAIL_NS: Final = 1_000_000
"""The last questions of a stall wait for a few milliseconds only: they belong to it when they waited longer than this
and were answered with the others."""

RAMP_STEPS: Final = 3
"""So many requests, each of which waited longer than the one before, are a queue that grows (requests). Two may be what
was under way when something stopped."""
RAMP_RISE: Final = 0.2
"""And the first of them waited less than the longest by this share of it (ratio)."""
RAMP_NOISE: Final = 0.05
"""One that waited longer than the next by less is still on the ramp (ratio)."""
_DENSE_NS: Final = 100_000_000
"""Listings of rarer probes do not show how a stall of a second or less ended."""
_RESOLUTION_NS: Final = 1_000
"""Capture files show microseconds at least."""


@dataclass(frozen=True)
class Series:
    """The samples of one ordered pair of hosts in one capture; positions in `RoundTrips.rows`, by time of sending."""

    rows: Ints
    sent_ns: Ints
    rtt_ns: Ints
    base_ns: Ints
    limit_ns: Ints
    """A sample is late when its round trip exceeds the base by more."""
    kind: Ints
    flow: NDArray[np.uint64]
    """One connection's ports, or one series of echoes."""
    recent_bytes: Ints

    @property
    def printed(self) -> bool:
        """Whether only the listing of a tool shows it."""
        return bool(self.kind[0] == PRINTED)

    @property
    def answered_ns(self) -> Ints:
        return self.sent_ns + self.rtt_ns

    @property
    def excess_ns(self) -> Ints:
        return self.rtt_ns - self.base_ns

    @property
    def waited(self) -> NDArray[np.bool_]:
        """Which samples waited at all, late or not."""
        waited: NDArray[np.bool_] = self.excess_ns > np.maximum(TAIL_NS, self.limit_ns // 10)
        return waited


@dataclass(frozen=True)
class HeldGroup:
    """Late answers that came together. `held` are positions in the series, by time of sending."""

    series: Series
    held: Ints
    start_ns: int
    end_ns: int
    """Time of the last answer of the group."""
    sent_span_ns: int
    answered_span_ns: int
    """Less what is not known about a listing's times."""
    slope: float
    """Of the round trip over the time of sending; -1 for a queue that stood still."""
    kernel_answered: int
    late_outside: int
    """Late answers to questions of the same time that did not come with the group."""
    by_chance: float
    """How many such groups would be expected if each late answer of the series were late for itself."""
    flows_stalled: int
    flows_unaffected: int
    quick: Ints
    """Positions of samples of the same time that were answered at once."""
    rises_before: float
    """Wait of the last question before the group, as a share of the group's longest: 0 for a stall that begins
    at once, near 1 at the top of a queue that was filling."""
    rises_steadily: bool
    """Several requests before were late, too, each less than the next: a queue grew from request to request."""
    burst_bytes: int
    """That the prober sent to the responder just before the group's first question."""
    usual_bytes: int
    """The median of the same over the series."""
    exact_times: bool = True
    """False where times of sending were put together from a listing: its slope is no measurement."""

    @property
    def opens_listing(self) -> bool:
        """Its first question is the first that a tool printed: it also waited for the neighbour's address (ARP) or
        a path to be set up, which a capture shows and a listing does not."""
        return self.series.printed and int(self.held[0]) == 0

    @property
    def waited_ns(self) -> int:
        """Sum of the waits."""
        return int(self.series.excess_ns[self.held].sum())

    @property
    def rows(self) -> Ints:
        """Positions of the held samples in `RoundTrips.rows`."""
        return self.series.rows[self.held]


def find_groups(trips: RoundTrips, gap_ns: int = TOGETHER_NS) -> tuple[HeldGroup, ...]:
    """All groups of at least two late answers, by start; what they mean is for the detectors to say."""
    groups: list[HeldGroup] = []
    for rows in _series_rows(trips):
        series = _series(trips, rows)
        late = np.flatnonzero(series.excess_ns > series.limit_ns)
        unsure_ns = 0 if trips.sources[int(trips.capture[rows[0]])].timed else _unsure_ns(series)
        for members in together(series.answered_ns, late, gap_ns + unsure_ns):
            groups.append(_group(series, members, unsure_ns))
    return tuple(sorted(groups, key=lambda g: (g.start_ns, g.end_ns, int(g.series.rows[0]))))


def _unsure_ns(series: Series) -> int:
    """Where a listing shows no times, a probe may have left an interval after its number would put it."""
    interval_ns = int(np.median(np.diff(series.sent_ns))) if len(series.rows) > 1 else 0
    return interval_ns if interval_ns < _DENSE_NS else 0


def _series_rows(trips: RoundTrips) -> Iterator[Ints]:
    """Positions of the samples that count, of one pair in one capture at a time."""
    chosen = np.flatnonzero(trips.nearest)
    order = chosen[lexsort((chosen, trips.capture[chosen], trips.pair[chosen]))]
    if not len(order):
        return
    new = (np.diff(trips.pair[order]) != 0) | (np.diff(trips.capture[order]) != 0)
    yield from np.split(order, np.flatnonzero(new) + 1)


def _series(trips: RoundTrips, rows: Ints) -> Series:
    part = trips.rows[rows]
    sent_ns, rtt_ns = part["sent_ns"].astype(np.int64), part["rtt_ns"].astype(np.int64)
    kind = part["kind"].astype(np.int64)
    by_kernel = np.isin(kind, list(BY_KERNEL))
    # An application's answers are judged by port: each takes its own time.
    judged = np.where(by_kernel, kind, kind << 16 | part["responder_port"])
    base_ns, limit_ns = usual(judged, sent_ns, rtt_ns)
    ports = part["prober_port"].astype(np.uint64) << np.uint64(16) | part["responder_port"].astype(np.uint64)
    echo = part["sequence"] >> 16
    flow = np.where(kind == ECHO, echo.astype(np.uint64) | np.uint64(1 << 40), ports)
    return Series(rows, sent_ns, rtt_ns, base_ns, limit_ns, kind, flow, part["recent_bytes"].astype(np.int64))


def _group(series: Series, members: Ints, unsure_ns: int) -> HeldGroup:
    answered_ns, excess_ns = series.answered_ns, series.excess_ns
    first_ns, last_ns = int(answered_ns[members].min()), int(answered_ns[members].max())
    start_ns = int(series.sent_ns[members].min())
    begin, end = np.searchsorted(series.sent_ns, (start_ns, last_ns))
    during = np.arange(begin, end)
    tail = (answered_ns[during] >= first_ns) & (answered_ns[during] <= last_ns + TAIL_NS)
    tail &= series.waited[during]
    held = np.union1d(members, during[tail])
    is_late = excess_ns[during] > series.limit_ns[during]
    late_outside = np.setdiff1d(during[is_late], held, assume_unique=True)
    soon = series.sent_ns[during] + series.base_ns[during] + series.limit_ns[during] < last_ns
    quick = np.setdiff1d(during[~is_late & soon], held, assume_unique=True)
    stalled = np.unique(series.flow[held])
    sent_ns = series.sent_ns[held]
    return HeldGroup(
        series=series,
        held=held,
        start_ns=start_ns,
        end_ns=int(answered_ns[held].max()),
        sent_span_ns=int(np.ptp(sent_ns)),
        answered_span_ns=max(0, last_ns - first_ns - unsure_ns),
        slope=_slope(sent_ns, series.rtt_ns[held]),
        kernel_answered=int(np.isin(series.kind[held], list(BY_KERNEL)).sum()),
        late_outside=len(late_outside),
        by_chance=_by_chance(series, first_ns, int(answered_ns[held].max()), len(held)),
        flows_stalled=len(stalled),
        flows_unaffected=len(np.setdiff1d(np.unique(series.flow[quick]), stalled)),
        quick=quick,
        rises_before=_rises_before(series, start_ns, int(excess_ns[held].max())),
        rises_steadily=_rises_steadily(series, start_ns, int(excess_ns[held].max())),
        burst_bytes=int(series.recent_bytes[held[:3]].max()),
        usual_bytes=int(np.median(series.recent_bytes)),
        exact_times=unsure_ns == 0,
    )


def _slope(sent_ns: Ints, rtt_ns: Ints) -> float:
    """Least squares; 0 for questions sent at one time."""
    x: Floats = (sent_ns - sent_ns.mean()).astype(np.float64)
    spread = float(x @ x)
    return float(x @ (rtt_ns - rtt_ns.mean())) / spread if spread else 0.0


def _by_chance(series: Series, first_ns: int, last_ns: int, size: int) -> float:
    """Expected number of runs of `size` such answers within so short a time, if each sample that waited had done so
    for itself (a scan statistic): their density is that around the group, the group itself included."""
    waited_ns = np.sort(series.answered_ns[series.waited])
    begin, end = np.searchsorted(waited_ns, (last_ns - NEAR_NS, last_ns + NEAR_NS))
    seen_ns = int(series.answered_ns.max() - series.sent_ns[0])
    span_ns = max(last_ns - first_ns, _RESOLUTION_NS)
    expected = (end - begin) * span_ns / max(min(2 * NEAR_NS, seen_ns), span_ns)
    return len(waited_ns) * poisson_tail(size - 1, float(expected))


def _rises_before(series: Series, start_ns: int, longest_ns: int) -> float:
    before = int(np.searchsorted(series.sent_ns, start_ns)) - 1
    if before < 0 or start_ns - series.sent_ns[before] > longest_ns or longest_ns <= 0:
        return 0.0
    return max(0.0, float(series.excess_ns[before]) / longest_ns)


def _rises_steadily(series: Series, start_ns: int, longest_ns: int) -> bool:
    """Walked back from the group: late ones, each less than the next, down to a part of the longest.

    Answers that came together are one step: an earlier pause that released them is no queue that grew."""
    at = int(np.searchsorted(series.sent_ns, start_ns)) - 1
    excess_ns, is_late = series.excess_ns, series.excess_ns > series.limit_ns
    lowest_ns, steps = longest_ns, 0
    sent_ns, answered_ns = start_ns, np.iinfo(np.int64).max
    while at >= 0 and is_late[at] and excess_ns[at] <= lowest_ns * (1 + RAMP_NOISE):
        # One packet may be several samples: a request, and the data that it is.
        if series.sent_ns[at] < sent_ns and answered_ns - series.answered_ns[at] > TOGETHER_NS:
            steps, answered_ns = steps + 1, int(series.answered_ns[at])
        sent_ns = int(series.sent_ns[at])
        lowest_ns = min(lowest_ns, int(excess_ns[at]))
        at -= 1
    return steps >= RAMP_STEPS and lowest_ns <= (1 - RAMP_RISE) * longest_ns

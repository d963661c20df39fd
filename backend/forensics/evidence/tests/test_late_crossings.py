"""Packets that were late between two vantage points, and came when the held ones of the other direction did."""

from __future__ import annotations

import numpy as np
import pytest

from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.round_trips.late_crossings import LateCrossings
from backend.forensics.evidence.round_trips.round_trips import RoundTrips
from backend.forensics.round_trips import ROUND_TRIP_DTYPE

MS = 1_000_000
CLIENT, SERVER = 0, 1
PAUSE_MS = (500, 800)


def crossings(held_ms: float, clock_ms: int) -> LateCrossings:
    """The server probes the client every 10 ms; a request that it sends at 600 ms needs `held_ms` longer to arrive."""
    sent_ms = np.arange(0, 2000, 10)
    extra_ms = np.where(sent_ms == 600, held_ms, 0.0)
    rows = np.zeros(2 * len(sent_ms), ROUND_TRIP_DTYPE)
    rows["sent_ns"][: len(sent_ms)] = sent_ms * MS
    rows["rtt_ns"][: len(sent_ms)] = (2 + extra_ms) * MS
    rows["sent_ns"][len(sent_ms) :] = (sent_ms + 1 + extra_ms + clock_ms) * MS
    place = np.repeat([SERVER, CLIENT], len(sent_ms))
    near = place == SERVER
    key = np.tile(np.arange(len(sent_ms), dtype=np.uint64), 2)
    pair = np.zeros(len(rows), np.uint64)
    trips = RoundTrips(rows, place, place, pair, key, near, len(sent_ms), ())
    far = np.where(near, np.arange(len(rows)) + len(sent_ms), -1)
    return LateCrossings((), gather_facts([], []).attempts, trips, far)


@pytest.mark.parametrize("clock_ms", [0, 7000, -7000])
@pytest.mark.parametrize(("held_ms", "released"), [(200, 1), (190, 1), (0, 0), (100, 0), (290, 0)])
def test_a_packet_that_left_meanwhile_and_came_at_the_end_was_released_with_the_others(
    held_ms: float, released: int, clock_ms: int
) -> None:
    begin_ms, end_ms = PAUSE_MS
    found = crossings(held_ms, clock_ms)
    assert found.released_with(SERVER, begin_ms * MS, end_ms * MS) == released
    assert found.released_with(CLIENT, begin_ms * MS, end_ms * MS) == 0


def test_one_that_left_at_another_time_has_nothing_to_do_with_it() -> None:
    assert crossings(200, 0).released_with(SERVER, 700 * MS, 800 * MS) == 0

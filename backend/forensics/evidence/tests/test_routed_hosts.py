"""Whose packets had passed a router before a vantage point."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from backend.forensics.evidence.clocks.sightings import Sightings
from backend.forensics.evidence.round_trips.routed_hosts import RoutedHosts
from backend.forensics.packets import PACKET_DTYPE


def seen(*ttls: int) -> RoutedHosts:
    """Handshake packets of host 7 with these TTLs at vantage point 1, and of host 8 with 63."""
    rows = np.zeros(len(ttls) + 1, PACKET_DTYPE)
    rows["source_low"], rows["ttl"] = [*(7 for _ in ttls), 8], [*ttls, 63]
    return RoutedHosts(cast("Sightings", SimpleNamespace(rows=rows, place=np.ones(len(rows), np.int64))))


@pytest.mark.parametrize(
    ("ttls", "routed"), [((64,), False), ((63, 63), True), ((63, 64), False), ((254,), True), ((0,), False)]
)
def test_a_ttl_that_no_host_begins_with_was_lowered_by_a_router(ttls: tuple[int, ...], routed: bool) -> None:
    assert seen(*ttls).passed_router(1, 0, 7) is routed


def test_of_a_host_that_was_not_seen_there_nothing_is_known() -> None:
    assert not seen(63).passed_router(2, 0, 7)
    assert not seen(63).passed_router(1, 0, 9)
    assert not RoutedHosts(gather_nothing()).passed_router(1, 0, 7)


def gather_nothing() -> Sightings:
    """Without any handshake packet."""
    nothing = SimpleNamespace(rows=np.zeros(0, PACKET_DTYPE), place=np.zeros(0, np.int64))
    return cast("Sightings", nothing)

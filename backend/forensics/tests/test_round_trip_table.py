"""One row a sample, one for each farther sighting, and listings where no packet tells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from backend.forensics.captures import Capture
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.round_trip_table import SCHEMA, round_trip_batches
from backend.forensics.tests.build_trips import MS, T0_NS, TripBuilder


def _rows(*captures: Capture) -> list[dict[str, Any]]:
    facts = gather_facts(captures, [])
    rows: list[dict[str, Any]] = pa.Table.from_batches(
        list(round_trip_batches(facts, [])), SCHEMA
    ).to_pylist()
    return rows


def _both(clock_ms: float = 0.0) -> list[dict[str, Any]]:
    """Ten echoes; the farther capture sees them 2 ms later and answers after 1 ms."""
    trips = TripBuilder().probe([10 * n for n in range(10)], lambda _: 5.0)
    far = trips.build(clock_ms=clock_ms, shorter=lambda _: 1.0, later=lambda _: 2.0)
    return _rows(trips.build(), replace(far, name="receiver.pcap"))


def test_farther_sightings_follow_and_name_their_sample() -> None:
    rows = _both()
    assert [row["nearest"] for row in rows] == [True] * 10 + [False] * 10
    assert [row["probe"] for row in rows] == [*range(10), *range(10)]
    assert {row["rtt_ms"] for row in rows[:10]} == {5.0}
    assert {row["rtt_ms"] for row in rows[10:]} == {1.0}
    assert [row["sent_ns"] for row in rows[10:]] == [T0_NS + 10 * n * MS for n in range(10)]


def test_the_way_there_does_not_hang_on_the_clocks() -> None:
    ahead = _both(clock_ms=350)
    assert ahead[15]["there_ms"] == pytest.approx(_both()[15]["there_ms"], abs=0.01)
    assert {row["there_ms"] for row in ahead[:10]} == {0.0}


def test_samples_of_one_capture_are_alone() -> None:
    rows = _rows(TripBuilder().probe([0, 10, 20]).build())
    assert [(row["sid"], row["probe"], row["nearest"], row["printed"]) for row in rows] == [
        (n, n, True, False) for n in range(3)
    ]
    assert [row["at_ns"] for row in rows] == [row["sent_ns"] for row in rows]

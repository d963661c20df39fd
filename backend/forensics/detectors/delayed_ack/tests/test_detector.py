"""Which writes waited for a delayed ACK, and when it is noticed."""

from __future__ import annotations

from typing import Any

import pytest

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.delayed_ack.detector import detect
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.tests.build_writes import talk


def found(**how: Any) -> Detection:
    return detect(gather_facts([talk(**how)], []))


def severities(**how: Any) -> list[str]:
    return [f.severity for f in found(**how).findings]


@pytest.mark.parametrize(
    ("held_ms", "count"), [(37.9, 0), (38, 1), (52, 1), (52.1, 0), (100, 1), (200, 1), (216, 0)]
)
def test_only_a_timer_s_times_count(held_ms: float, count: int) -> None:
    assert len(severities(held_ms=held_ms)) == count


@pytest.mark.parametrize(("follows_ms", "count"), [(0.03, 1), (0.59, 1), (0.61, 0), (5.0, 0)])
def test_the_second_write_leaves_as_soon_as_the_acknowledgement_is_there(
    follows_ms: float, count: int
) -> None:
    """A program that writes when its own timer runs out does not meet it 30 times."""
    assert len(severities(follows_ms=follows_ms)) == count


@pytest.mark.parametrize(("round_trip_ms", "count"), [(10.0, 1), (10.2, 0), (40.0, 0)])
def test_a_long_path_is_no_timer(round_trip_ms: float, count: int) -> None:
    assert len(severities(round_trip_ms=round_trip_ms, held_ms=40.5)) == count


@pytest.mark.parametrize(("size", "count"), [(1, 1), (730, 1), (731, 0)])
def test_the_first_write_is_small(size: int, count: int) -> None:
    assert len(severities(size=size)) == count


@pytest.mark.parametrize(("answer_ms", "count"), [(None, 1), (40.51, 0), (45.0, 1)])
def test_a_write_after_data_of_the_other_side_may_answer_that(answer_ms: float | None, count: int) -> None:
    assert len(severities(answer_ms=answer_ms)) == count


@pytest.mark.parametrize(
    ("connections", "writes", "count"), [(1, 2, 0), (2, 2, 0), (1, 4, 0), (1, 5, 1), (2, 3, 1)]
)
def test_it_is_repeated(connections: int, writes: int, count: int) -> None:
    assert len(severities(connections=connections, writes=writes)) == count


@pytest.mark.parametrize(
    ("writes", "held_ms", "severity"),
    [(9, 200, "info"), (10, 200, "warning"), (24, 40, "info"), (26, 40, "warning")],
)
def test_what_costs_a_second_is_notable(writes: int, held_ms: float, severity: str) -> None:
    assert severities(connections=1, writes=writes, held_ms=held_ms) == [severity]


def test_it_tells_who_waited_for_whom() -> None:
    (finding,) = found().findings
    assert finding.measures["writer"] == "client"
    assert (finding.count, finding.time_lost_s) == (30, 1.212)
    assert finding.affected[0] == {
        "protocol": "tcp",
        "source": "10.0.0.1:40000",
        "destination": "192.0.2.10:6379",
    }
    assert len(finding.events[0]["frames"]) == 3

"""Connections that a full accept queue had not taken: told by their first data, and by nothing that a path does."""

from __future__ import annotations

from typing import Any

import pytest

from backend.forensics.captures import Capture
from backend.forensics.evidence.tcp.unaccepted import unaccepted
from backend.forensics.signals import SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS

CONNECTIONS = 40
SEGMENTS = 3


def _capture(late: int, *, other: int = 0, times: int = 1, syn_acks: int = 1) -> Capture:
    """So many connections whose client's first data came again, and `other` ones with later data."""
    builder = StumbleBuilder()
    for number in range(CONNECTIONS):
        is_late, is_other = number < late, late <= number < late + other
        repeats = times if is_late else int(is_other)
        row: dict[str, Any] = {"data_segments": SEGMENTS + repeats, "data_retransmissions": repeats}
        row |= {"client_bytes": 100, "server_bytes": 300, "isn": 1_000 * number}
        builder.connection(**row, syn_acks=syn_acks if is_late else 1)
        for again in range(repeats):
            sequence = 1_000 * number + (1 if is_late else 101)
            more: dict[str, Any] = {"from_client": 1, "sequence": sequence, "payload_bytes": 100}
            builder.signal(number, (number * 10 + again) * MS, SENT_AGAIN, **more)
    return builder.build()


@pytest.mark.parametrize(("late", "expected"), [(2, 0), (4, 0), (5, 5), (20, 20)])
def test_only_the_first_data_of_several_connections_came_again(late: int, expected: int) -> None:
    assert unaccepted(_capture(late)).sum() == expected


def test_each_time_that_it_came_again_counts() -> None:
    assert unaccepted(_capture(3)).sum() == 0
    assert unaccepted(_capture(3, times=2)).sum() == 3


@pytest.mark.parametrize(("other", "expected"), [(0, 8), (8, 0)])
def test_a_path_loses_other_data_as_well(other: int, expected: int) -> None:
    assert unaccepted(_capture(8, other=other)).sum() == expected


def test_a_syn_ack_that_came_again_tells_of_a_single_connection() -> None:
    assert unaccepted(_capture(1, syn_acks=2)).tolist() == [True] + [False] * (CONNECTIONS - 1)

"""Segments of a request add up to it, whatever was open at once."""

from __future__ import annotations

from typing import Any

import pytest

from backend.services.show_request import Segment, sweep

MS = 1_000_000


def _part(kind: str, after_ms: int, length_ms: int) -> dict[str, Any]:
    plain: dict[str, Any] = {"name": kind, "line": "", "basis": "seen", "status": None, "input": None}
    plain |= {"first_frame": None, "last_frame": None, "withheld": ""}
    return plain | {"kind": kind, "after_ns": after_ms * MS, "length_ns": length_ms * MS}


def _told(segments: tuple[Segment, ...]) -> list[tuple[str, float, float, float]]:
    return [(s.kind, s.after_ms, s.length_ms, s.counted_ms) for s in segments]


def test_what_no_part_takes_is_own_work() -> None:
    segments = sweep([_part("metadata", 10, 20), _part("calls", 40, 30)], 100 * MS)
    assert _told(segments) == [
        ("own", 0, 10, 10),
        ("metadata", 10, 20, 20),
        ("own", 30, 10, 10),
        ("calls", 40, 30, 30),
        ("own", 70, 30, 30),
    ]


def test_what_is_open_at_once_counts_once_metadata_first() -> None:
    segments = sweep([_part("calls", 0, 50), _part("metadata", 20, 10), _part("calls", 40, 20)], 60 * MS)
    assert _told(segments) == [("calls", 0, 50, 40), ("metadata", 20, 10, 10), ("calls", 40, 20, 10)]


@pytest.mark.parametrize(
    "parts", [[], [("dns", 0, 7)], [("calls", 3, 90), ("dns", 0, 100), ("metadata", 99, 1)]]
)
def test_segments_add_up_to_the_whole(parts: list[tuple[str, int, int]]) -> None:
    segments = sweep([_part(*part) for part in parts], 100 * MS)
    assert sum(s.counted_ms for s in segments) == pytest.approx(100)


def test_own_work_is_inferred_and_has_no_frame() -> None:
    (own,) = sweep([], 5 * MS)
    assert (own.basis, own.first_frame, own.length_ms) == ("inferred", None, 5)

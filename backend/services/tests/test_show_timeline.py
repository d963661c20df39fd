from __future__ import annotations

import pytest

from backend.services.open_tables import epoch_ns
from backend.services.show_timeline import bucket_width_ns


@pytest.mark.parametrize(
    ("span_ns", "px", "bucket_ns"),
    [
        (1000, 1000, 1),
        (1001, 1000, 2),
        (2000, 1000, 2),
        (2001, 1000, 5),
        (5001, 1000, 10),
        (13_480_930_033, 1440, 10_000_000),
    ],
)
def test_a_bucket_is_no_narrower_than_a_pixel(span_ns: int, px: int, bucket_ns: int) -> None:
    assert bucket_width_ns(span_ns, px) == bucket_ns


@pytest.mark.parametrize(
    ("text", "time_ns"),
    [
        ("2026-11-21T01:11:43.486947163Z", 1795223503486947163),
        ("2026-11-21T01:11:43.5Z", 1795223503500000000),
        ("2026-11-21T01:11:43Z", 1795223503000000000),
    ],
)
def test_times_keep_their_nanoseconds(text: str, time_ns: int) -> None:
    assert epoch_ns(text) == time_ns

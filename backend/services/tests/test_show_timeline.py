from __future__ import annotations

import pytest

from backend.forensics.report import InputPart, LanePart, Report, ToolPart
from backend.services.open_tables import epoch_ns, span_of
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


def report_of(*inputs: InputPart) -> Report:
    lane = LanePart(
        id="kernel:e.txt",
        name="conntrack events",
        role="kernel",
        captured=True,
        first="2026-11-21T01:00:00Z",
        last="2026-11-21T01:00:09Z",
    )
    return Report(
        schema="stallscope.report/1",
        label="",
        created="",
        tool=ToolPart(version=""),
        inputs=list(inputs),
        findings=[],
        diagnoses=[],
        checked=[],
        lanes=[lane],
    )


def test_time_counts_from_the_first_packet() -> None:
    capture = InputPart(
        name="a.pcap",
        sha256="",
        kind="capture",
        format="pcap",
        packets=2,
        first="2026-11-21T01:00:05Z",
        last="2026-11-21T01:00:06Z",
    )
    begin_ns, end_ns = span_of(report_of(capture))
    assert (begin_ns % 10**10, end_ns - begin_ns) == (5 * 10**9, 10**9)


def test_without_packets_time_counts_from_the_first_event() -> None:
    begin_ns, end_ns = span_of(report_of())
    assert (begin_ns, end_ns - begin_ns) == (epoch_ns("2026-11-21T01:00:00Z"), 9 * 10**9)

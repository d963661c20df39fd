from __future__ import annotations

import pytest

from backend.forensics.report import InputPart, LanePart, Report, ToolPart
from backend.services.open_tables import clocks_of, epoch_ns, span_of
from backend.services.show_timeline import bucket_width_ns
from backend.services.timeline_lanes import TimelineLane, widen_buckets
from backend.storage.capture_clock import CaptureClock


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


S = 10**9


def test_a_capture_on_another_clock_is_drawn_where_the_others_are() -> None:
    skewed = InputPart(
        name="b.pcap",
        sha256="",
        kind="capture",
        format="pcap",
        packets=2,
        first="2026-11-21T02:00:05Z",
        last="2026-11-21T02:00:15.5Z",
    )
    report = report_of(skewed)
    lane = report.lanes[0].model_copy(
        update={
            "id": "b.pcap#0",
            "role": "host",
            "first": "2026-11-21T01:00:05Z",
            "last": "2026-11-21T01:00:15Z",
        }
    )
    report.lanes.append(lane)
    clock = clocks_of(report)["b.pcap"]
    assert clock.common(epoch_ns("2026-11-21T02:00:05Z")) == epoch_ns("2026-11-21T01:00:05Z")
    assert clock.common(epoch_ns("2026-11-21T02:00:15.5Z")) == epoch_ns("2026-11-21T01:00:15Z")
    assert span_of(report) == (epoch_ns("2026-11-21T01:00:05Z"), epoch_ns("2026-11-21T01:00:15Z"))


@pytest.mark.parametrize(
    "ahead_ns", [(0, 0), (-7_300 * S, -7_300 * S + 9_000_000), (350_000_000, 350_000_000)]
)
def test_a_time_goes_to_the_common_clock_and_back(ahead_ns: tuple[int, int]) -> None:
    clock = CaptureClock(1_000 * S, 1_100 * S, *ahead_ns)
    for own_ns in (1_000 * S, 1_050 * S + 7, 1_100 * S):
        assert abs(clock.own(clock.common(own_ns)) - own_ns) <= 100
    assert clock.common(1_000 * S) == 1_000 * S - ahead_ns[0]
    assert clock.common(1_100 * S) == 1_100 * S - ahead_ns[1]


def test_wider_buckets_hold_what_the_narrow_ones_held() -> None:
    lane = TimelineLane("a#0", "eth0", "uplink", True, "", 0, 99, 10)
    lane.start, lane.packets, lane.bytes, lane.syns = (
        [-3, 0, 4, 5, 12],
        [1, 2, 3, 4, 5],
        [10, 20, 30, 40, 50],
        [0, 1, 0, 1, 0],
    )
    widen_buckets([lane], 5)
    assert (lane.start, lane.packets) == ([-5, 0, 5, 10], [1, 5, 4, 5])
    assert (lane.bytes, lane.syns) == ([10, 50, 40, 50], [0, 1, 1, 0])

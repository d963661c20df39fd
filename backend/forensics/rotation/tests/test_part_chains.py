"""What makes files parts of one capture, and what does not: each condition at both sides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from backend.forensics.captures import Capture
from backend.forensics.connections import BUCKET_DTYPE
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.rotation.joined_captures import join_rotated
from backend.forensics.rotation.part_chains import (
    GAP_NS,
    OVERLAP_NS,
    QUIET_GAP_NS,
    STAMP_DIGITS,
    find_chains,
    series_of,
)
from backend.forensics.tests.build_capture import CaptureBuilder, plain_path

S = 1_000_000_000
BEGIN_NS = 1_800_000_000 * S


def part(name: str, first_ns: int, last_ns: int, *, client: str = "10.0.0.2:40000") -> Capture:
    """One connection at either end of that time."""
    builder = CaptureBuilder(name, places=("eth0",))
    builder.connect(first_ns, plain_path(client, "10.9.0.1:80", "eth0"), isn=first_ns % 90_001)
    builder.syn(last_ns, plain_path(client.replace("40", "41"), "10.9.0.1:80", "eth0"), isn=last_ns % 90_001)
    capture = builder.build()
    buckets = np.zeros(2, BUCKET_DTYPE)
    buckets["start_ns"] = first_ns, last_ns
    return replace(capture, buckets=buckets)


def two(gap_ns: int = S, **changes: Any) -> list[Capture]:
    """The second file begins `gap_ns` after the first one's end; each is 1 s long."""
    end_ns = part("x.pcap", BEGIN_NS, BEGIN_NS + S).last_ns
    return [
        part("x.pcap", BEGIN_NS, BEGIN_NS + S),
        part("x.pcap1", end_ns + gap_ns, end_ns + gap_ns + S, **changes),
    ]


def with_point(capture: Capture, **changes: Any) -> Capture:
    return replace(capture, vantage_points=tuple(replace(p, **changes) for p in capture.vantage_points))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x.pcap", "x.pcap1"),
        ("x.pcap00", "x.pcap17"),
        ("a/x.pcap", "a/x.pcap1.gz"),
        ("x_00001_20261121.pcap", "x_00002_20261121210500.pcap"),
        ("x-2026-11-21T21:05:00.pcapng.zst", "x-2026-11-21T22:05:00.pcapng"),
        ("20261121_210500.pcap", "20261121_220500.pcap"),
        ("x.210500.pcap", "x.220500.pcap3"),
    ],
)
def test_names_of_one_series(one: str, other: str) -> None:
    assert series_of(one) == series_of(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("eth0.pcap", "eth1.pcap"),
        ("node-1.pcap", "node-2.pcap"),
        ("a/x.pcap", "b/x.pcap1"),
        ("x.pcap", "x.pcapng"),
        ("x.pcap", "y.pcap"),
    ],
)
def test_names_of_two_series(one: str, other: str) -> None:
    assert series_of(one) != series_of(other)


def test_a_short_number_is_no_stamp() -> None:
    assert series_of(f"x-{'1' * STAMP_DIGITS}.pcap") == series_of("x.pcap")
    assert series_of(f"x-{'1' * (STAMP_DIGITS - 1)}.pcap") != series_of("x.pcap")
    assert series_of("trace1") is None


@pytest.mark.parametrize(
    ("gap_ns", "joined"),
    [(GAP_NS, True), (GAP_NS + 1, False), (-OVERLAP_NS, True), (-OVERLAP_NS - 1, False), (0, True)],
)
def test_times_follow_one_another(gap_ns: int, joined: bool) -> None:
    captures = two(gap_ns)
    assert find_chains(captures) == ([[0, 1]] if joined else [])
    assert find_chains(captures[::-1]) == ([[1, 0]] if joined else [])


@pytest.mark.parametrize(("silence_ns", "joined"), [(20 * S, True), (20 * S - 1, False)])
def test_a_quiet_interface_may_be_quiet_over_the_end(silence_ns: int, joined: bool) -> None:
    first, second = two(20 * S)
    buckets = first.buckets.copy()
    buckets["start_ns"][0] = buckets["start_ns"][1] - silence_ns
    assert bool(find_chains([replace(first, buckets=buckets), second])) is joined


@pytest.mark.parametrize(("gap_ns", "joined"), [(QUIET_GAP_NS, True), (QUIET_GAP_NS + 1, False)])
def test_even_silence_has_an_end(gap_ns: int, joined: bool) -> None:
    first, second = two(gap_ns)
    buckets = first.buckets.copy()
    buckets["start_ns"][0] -= 10 * QUIET_GAP_NS
    assert bool(find_chains([replace(first, buckets=buckets), second])) is joined


@pytest.mark.parametrize(
    "other",
    [
        {"snap_length": 96},
        {"link_type": "raw IPv4"},
        {"stated_name": "eth1"},
        {"interface_index": 3},
        {"capture_filter": "tcp"},
        {"time_resolution_ns": 1000},
    ],
)
def test_another_interface_is_no_part(other: dict[str, Any]) -> None:
    first, second = two()
    assert find_chains([first, second])
    assert not find_chains([first, with_point(second, **other)])
    assert find_chains([with_point(first, **other), with_point(second, **other)])


def test_another_kernel_index_is_no_part() -> None:
    first, second = (with_point(each, interface_index=2) for each in two())
    assert find_chains([first, second])
    assert not find_chains([first, with_point(second, interface_index=3)])


@pytest.mark.parametrize(("hosts", "joined"), [(("a", "a"), True), (("a", "b"), False), (("a", None), False)])
def test_another_host_is_no_part(hosts: tuple[str | None, ...], joined: bool) -> None:
    captures = [replace(each, host=host) for each, host in zip(two(), hosts, strict=True)]
    assert bool(find_chains(captures)) is joined


def test_no_address_in_common_is_no_part() -> None:
    first, second = two()
    other = second.connections.copy()
    for end in ("client", "server"):
        other[f"{end}_low"] += 1 << 16
    assert find_chains([first, second])
    assert not find_chains([first, replace(second, connections=other)])


def test_the_same_packets_on_another_clock_are_no_part() -> None:
    first, second = two()
    same = first.handshakes.copy()
    same["time_ns"] += 3 * S
    assert find_chains([first, second])
    assert not find_chains([first, replace(second, handshakes=same)])


def test_a_missing_part_leaves_two_captures() -> None:
    end_ns = BEGIN_NS + 30 * S
    captures = [*two(), part("x.pcap3", end_ns, end_ns + S)]
    assert find_chains(captures) == [[0, 1]]
    joined = join_rotated(captures)
    assert sorted(capture.name for capture in joined.captures) == ["x.pcap", "x.pcap3"]


def test_a_long_gap_is_not_demonstrably_recorded_a_short_one_is() -> None:
    for gap_ns, times in ((2 * S, 1), (S // 2, 0)):
        (joined,) = join_rotated(two(gap_ns)).captures
        assert len(joined.vantage_points[0].unrecorded_ns) == times


@pytest.mark.parametrize(("lost_ns", "where"), [(S // 2, "between cni0 and eth0"), (3 * S, "beyond cni0")])
def test_nothing_is_lost_where_nothing_was_recorded(lost_ns: int, where: str) -> None:
    builder = CaptureBuilder("x.pcap")
    path = plain_path("10.0.0.2:40000", "10.9.0.1:80", "cni0", "eth0")
    builder.connect(BEGIN_NS, path, isn=7)
    builder.retry(
        BEGIN_NS + lost_ns, plain_path("10.0.0.2:41000", "10.9.0.1:80", "cni0", "eth0"), isn=8, seen_at=1
    )
    builder.connect(BEGIN_NS + 9 * S, path, isn=9)
    gap = (BEGIN_NS + S, BEGIN_NS + 8 * S)
    (loss,) = gather_facts([with_point(builder.build(), unrecorded_ns=(gap,))], []).losses
    assert loss.where == where


def test_parts_are_one_vantage_point_without_a_caution() -> None:
    facts = gather_facts(join_rotated(two()).captures, [])
    assert len(facts.attempts.places) == 1
    assert facts.clocks.problems == ()
    assert gather_facts(two(), []).clocks.problems

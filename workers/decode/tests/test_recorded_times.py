"""Time stamps that no clock made: they are counted, and none of them leaves 64 bits."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

from backend.forensics.captures import Capture
from backend.forensics.evidence.absence.measured_times import time_problems
from backend.forensics.evidence.facts import gather_facts
from workers.decode.captures import decode_capture

_S = 10**9
_NOW = 1_700_000_000
_LARGEST = (1 << 64) - 1


def _frames(count: int) -> list[Ether]:
    """Every second one sends the SYN of the one before again."""
    pair = IP(src="10.0.0.1", dst="10.0.0.2")
    return [Ether() / pair / TCP(sport=4000 + n // 2, dport=80, flags="S", seq=9) for n in range(count)]


def _block(kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)


def _pcapng(stamps: list[int], resolution: int = 6, offset_s: int = 0) -> bytes:
    options = struct.pack("<HHB3xHHqI", 9, 1, resolution, 14, 8, offset_s, 0)
    file = _block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    file += _block(1, struct.pack("<HHI", 1, 0, 0) + options)
    for stamp, frame in zip(stamps, _frames(len(stamps)), strict=True):
        data = bytes(frame)
        head = struct.pack("<IIIII", 0, stamp >> 32, stamp & 0xFFFFFFFF, len(data), len(data))
        file += _block(6, head + data)
    return file


def _decoded(folder: Path, data: bytes) -> Capture:
    (folder / "a.pcapng").write_bytes(data)
    return decode_capture(folder / "a.pcapng", name="a.pcapng", sha256="", packets_path=None)


def _timed(folder: Path, seconds: list[float]) -> Capture:
    frames = _frames(len(seconds))
    for frame, when in zip(frames, seconds, strict=True):
        frame.time = when
    wrpcap(str(folder / "a.pcap"), frames)
    return decode_capture(folder / "a.pcap", name="a.pcap", sha256="", packets_path=None)


def _lost_s(capture: Capture) -> float:
    return float(gather_facts([capture], []).delays.lost_s.sum())


@pytest.mark.parametrize(
    ("stamp", "resolution", "offset_s"),
    [
        (_LARGEST, 6, 0),
        (_LARGEST, 0, 0),
        (1 << 63, 0, 0),
        ((1 << 63) - 1, 3, 0),
        (_LARGEST, 9, 0),
        (_LARGEST, 0x80, 0),
        ((1 << 62) + 1, 9, 0),
        (0, 6, -1),
        (_NOW * 10**6, 6, -(1 << 63)),
        (_NOW * 10**6, 6, (1 << 63) - 1),
        (1 << 62, 9, 1),
    ],
)
def test_a_stamp_that_is_no_time_is_counted_and_replaced(
    tmp_path: Path, stamp: int, resolution: int, offset_s: int
) -> None:
    capture = _decoded(tmp_path, _pcapng([stamp] * 4, resolution, offset_s))
    assert capture.times.untimed == 4
    assert capture.times.first_untimed == 1
    assert np.all(capture.handshakes["time_ns"] == 0)
    assert _lost_s(capture) == 0
    assert "time stamps before 1970 or after 2116" in time_problems([capture])[0].text


@pytest.mark.parametrize(
    ("stamp", "resolution", "offset_s", "time_ns"),
    [
        (1 << 62, 9, 0, 1 << 62),
        (_LARGEST, 12, 0, _LARGEST // 1000),
        (1 << 63, 0x80 | 63, 0, _S),
        (1, 0x80 | 63, 0, 0),
        (_LARGEST, 127, 0, 18),
        (5, 0, _NOW, (_NOW + 5) * _S),
        ((_NOW + 5) * 10**6, 6, -_NOW, 5 * _S),
    ],
)
def test_the_largest_stamp_of_each_resolution_is_a_time(
    tmp_path: Path, stamp: int, resolution: int, offset_s: int, time_ns: int
) -> None:
    capture = _decoded(tmp_path, _pcapng([stamp], resolution, offset_s))
    assert capture.times.untimed == 0
    assert capture.first_ns == time_ns


@pytest.mark.parametrize("gap_s", [0.0, 1.0, 0.000001])
def test_equal_gaps_are_not_measured_and_one_other_gap_is(tmp_path: Path, gap_s: float) -> None:
    even = [_NOW + n * gap_s for n in range(20)]
    capture = _timed(tmp_path, even)
    assert capture.times.even_gap_ns == round(gap_s * _S)
    assert _lost_s(capture) == 0
    assert not len(capture.round_trips.read(["rtt_ns"]))
    other = _timed(tmp_path, [*even[:-1], even[-1] + 1.5])
    assert other.times.even_gap_ns is None
    assert _lost_s(other) > 0
    assert not time_problems([other])
    assert _timed(tmp_path, even[:9]).times.even_gap_ns is None


@pytest.mark.parametrize(("back_s", "steps"), [(0.9, 0), (1.0, 0), (1.1, 1), (3600, 1)])
def test_a_clock_that_is_set_back_is_said(tmp_path: Path, back_s: float, steps: int) -> None:
    times = [_NOW + n + 0.001 * n * n for n in range(12)]
    capture = _timed(tmp_path, [*times, times[-1] - back_s])
    assert capture.times.steps == steps
    assert len(time_problems([capture])) == steps
    assert not steps or capture.times.first_step == 13


@pytest.mark.parametrize(
    ("ahead_s", "lost"), [(0, True), (200, True), (300, False), (2 * 365 * 86_400, False)]
)
def test_no_wait_is_claimed_over_a_jump(tmp_path: Path, ahead_s: int, lost: bool) -> None:
    """The second SYN of an attempt comes after the jump; the first of another is on its other side."""
    capture = _timed(tmp_path, [1e9, 1e9 + 1.5 + ahead_s])
    assert (_lost_s(capture) > 0) is lost
    assert capture.times.steps == (ahead_s > 365 * 86_400)


def test_a_clock_that_was_never_set_is_said(tmp_path: Path) -> None:
    for first_s, problems in ((567_993_600, 0), (567_993_599, 1), (0, 1)):
        capture = _timed(tmp_path, [first_s, first_s + 1.5, first_s + 3.6])
        assert len(time_problems([capture])) == problems


@pytest.mark.parametrize(("backwards", "said"), [(11, True), (10, False)])
def test_times_that_mostly_run_backwards_are_not_measured(tmp_path: Path, backwards: int, said: bool) -> None:
    """In steps too small for a clock that was set."""
    gaps_s = [-0.1 - n / 1_000 for n in range(backwards)] + [0.2 + n / 1_000 for n in range(20 - backwards)]
    capture = _timed(tmp_path, [_NOW + sum(gaps_s[:n]) for n in range(20)] + [_NOW + sum(gaps_s)])
    assert (capture.times.backwards, capture.times.steps) == (backwards if said else 0, 0)
    assert [problem.text[:26] for problem in time_problems([capture])] == [
        "time stamps run backwards:"
    ] * said
    assert capture.times.measured is not said


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        ([0, 0, 0], "time stamps are zero or absent: dates and durations are not known"),
        (
            [0, 0, 0.000001],
            "time stamps are before 1988: the clock was not set, dates are wrong and durations may be right",
        ),
    ],
)
def test_packets_without_any_time_stamp_have_no_clock(
    tmp_path: Path, seconds: list[float], text: str
) -> None:
    assert [each.text for each in time_problems([_timed(tmp_path, seconds)])] == [text]

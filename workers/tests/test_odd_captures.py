"""Captures that no clock or network gives are read in linear time and bounded memory, or refused with the limit."""

from __future__ import annotations

import math
import random
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.forensics.packets import SYN
from workers.decode.bench.measure import Cost, measure
from workers.decode.tests.capture_bytes import enhanced, interface, section, tcp

PACKETS = 100_000
INTERFACES = 100_000
TIMES_AS_MANY = 4
MOST_GROWTH = 1.25
"""Exponent of CPU time: twice as noisy as a count of what was looked at, which has 1.1."""
START_CPU_S = 0.6
SPAN_S = 100
_HEAD, _RECORD = 24, 16
_ANALYZE = [sys.executable, "-m", "workers.cli.main", "analyze"]

pytestmark = pytest.mark.long


def ascending(number: int, count: int) -> float:
    return number * SPAN_S / count


def equal(number: int, count: int) -> float:
    return 0.0


def descending(number: int, count: int) -> float:
    return SPAN_S - number * SPAN_S / count


def at_random(number: int, count: int) -> float:
    return random.Random(number).uniform(0, SPAN_S)


def with_times(capture: Path, time_of: Callable[[int, int], float], count: int) -> None:
    """Rewrites the time of every record."""
    content = bytearray(capture.read_bytes())
    unit = 1e9 if struct.unpack_from("<I", content)[0] == 0xA1B23C4D else 1e6
    place = _HEAD
    for number in range(count):
        seconds = 1_700_000_000 + time_of(number, count)
        struct.pack_into("<II", content, place, int(seconds), int(seconds % 1 * unit))
        place += _RECORD + struct.unpack_from("<I", content, place + 8)[0]
    assert place == len(content)
    capture.write_bytes(content)


def cost_of(folder: Path, traffic: str, time_of: Callable[[int, int], float], packets: int) -> Cost:
    capture = folder / f"{packets}.pcap"
    generate = [sys.executable, "-m", "workers.decode.bench.generate", str(capture), str(packets), traffic]
    measure(generate)
    with_times(capture, time_of, packets)
    return measure([*_ANALYZE, str(capture), "--json", str(folder / "report.json")])


@pytest.mark.parametrize("time_of", [ascending, equal, descending, at_random])
@pytest.mark.parametrize("traffic", ["everything", "hosts"])
def test_times_of_any_order_cost_no_more_than_their_number(
    traffic: str, time_of: Callable[[int, int], float], tmp_path: Path
) -> None:
    small, large = (
        cost_of(tmp_path, traffic, time_of, packets) for packets in (PACKETS, TIMES_AS_MANY * PACKETS)
    )
    growth = math.log((large.cpu_s - START_CPU_S) / (small.cpu_s - START_CPU_S), TIMES_AS_MANY)

    assert growth <= MOST_GROWTH
    assert large.peak_mb <= 600


def test_a_hundred_thousand_interfaces_are_not_read_beyond_the_limit(tmp_path: Path) -> None:
    capture = tmp_path / "interfaces.pcapng"
    capture.write_bytes(
        section()
        + interface() * INTERFACES
        + b"".join(enhanced(number, 1, tcp(SYN)) for number in range(INTERFACES))
    )
    ran = subprocess.run([*_ANALYZE, str(capture)], capture_output=True, text=True, check=False, timeout=300)

    assert "more than 1,024 interfaces, the limit" in ran.stdout
    assert "0 packets" in ran.stdout

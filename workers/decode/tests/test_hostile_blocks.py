"""Files of very many blocks: work grows with their number, not with its square, and interfaces have a limit."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from backend.forensics.packets import SYN
from workers.decode.captures import decode_capture
from workers.decode.interfaces import MAX_INTERFACES
from workers.decode.pcapng_blocks import STATISTICS
from workers.decode.tests.capture_bytes import block, decode, enhanced, interface, option, section, tcp

FEW, MANY = 64, 256
ONE_PACKET = enhanced(0, 1, tcp(SYN))
DROPS = option(5, struct.pack("<Q", 1))

KINDS: dict[str, Callable[[int], bytes]] = {
    "nameless interfaces": lambda n: section() + interface() * n + ONE_PACKET,
    "interfaces of one name": lambda n: section() + interface("eth0") * n + ONE_PACKET,
    "interfaces with packets": lambda n: (
        section() + interface() * n + b"".join(enhanced(i, i, tcp(SYN)) for i in range(n))
    ),
    "empty sections": lambda n: section() * n + interface() + ONE_PACKET,
    "sections of one interface": lambda n: (section() + interface("eth0")) * n + ONE_PACKET,
    "sections of one packet": lambda n: (section() + interface() + ONE_PACKET) * n,
    "sections after many interfaces": lambda n: section() + interface() * (n // 2) + section() * n,
    "statistics": lambda n: section() + interface() + block(STATISTICS, bytes(12) + DROPS) * n,
    "name resolution": lambda n: section() + interface() + block(4, bytes(8)) * n + ONE_PACKET,
    "custom data": lambda n: section() + interface() + block(0xBAD, bytes(8)) * n + ONE_PACKET,
    "blocks of unknown types": lambda n: (
        section() + interface() + b"".join(block(0x10000 + i, bytes(4)) for i in range(n))
    ),
    "comments": lambda n: section() + interface(options=option(1, b"x") * n) + ONE_PACKET,
}


def steps_of(work: Callable[[], object]) -> int:
    """Bytecode instructions that this package's Python code takes: a clock that no load of the machine changes."""
    steps = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal steps
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        steps += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return steps


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.promise("The work for a capture grows in proportion to its number of blocks, not to its square.")
def test_work_grows_with_the_number_of_blocks(kind: str, tmp_path: Path) -> None:
    def steps(count: int) -> int:
        path = tmp_path / f"{count}.pcapng"
        path.write_bytes(KINDS[kind](count))
        return steps_of(lambda: decode_capture(path, name="x", sha256="", packets_path=None))

    steps(1)  # what only the first capture of a process loads
    few, more, most = steps(FEW), steps(2 * FEW), steps(MANY)
    # A constant part makes the growth smaller, a square makes it larger.
    assert most - more <= 2.2 * (more - few) + 1000


@pytest.mark.promise("A capture that describes more interfaces than the limit is read up to that interface.")
@pytest.mark.parametrize("in_sections", [False, True])
def test_interfaces_beyond_the_limit_end_the_reading(in_sections: bool, tmp_path: Path) -> None:
    def capture_of(count: int) -> bytes:
        if in_sections:
            return (section() + interface() + ONE_PACKET) * count
        return section() + interface() + ONE_PACKET + interface() * (count - 1) + ONE_PACKET

    within = decode(capture_of(MAX_INTERFACES), tmp_path, "x.pcapng")
    assert len(within.vantage_points) == MAX_INTERFACES
    assert not any("limit" in warning for warning in within.warnings)
    beyond = decode(capture_of(MAX_INTERFACES + 1), tmp_path, "x.pcapng")
    warning = beyond.warnings[0]
    assert warning.startswith("The file describes more than 1,024 interfaces, the limit, at byte ")
    assert warning.endswith("Everything before it was analysed.")
    assert len(beyond.vantage_points) == MAX_INTERFACES
    assert beyond.packets == within.packets - (0 if in_sections else 1)


def test_a_file_that_only_describes_interfaces_is_refused_in_a_sentence(tmp_path: Path) -> None:
    capture = decode(section() + interface() * (MAX_INTERFACES + 1) + ONE_PACKET, tmp_path, "x.pcapng")
    assert capture.packets == 0
    assert capture.error is not None
    assert "more than 1,024 interfaces, the limit" in capture.error

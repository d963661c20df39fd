"""Real captures of two vantage points, one of them as a host with another clock would have written it."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from backend.forensics.evidence.facts import Facts, gather_facts
from workers.pipeline import ingest_file

RACE = ("cni0.pcap", "eth0.pcap")
BACKLOG = ("sender.pcap", "receiver.pcap")
_HEADER_BYTES, _RECORD_BYTES = 24, 16
_PER_SECOND = {b"\xd4\xc3\xb2\xa1": 10**6, b"\x4d\x3c\xb2\xa1": 10**9}
"""Little-endian magic numbers of pcap, and the parts of a second that its times count."""


def on_another_clock(pcap: bytes, offset_s: float, drift_ppm: float) -> bytes:
    """The same packets with the times of a clock that is ahead and runs faster."""
    second = _PER_SECOND[pcap[:4]]
    written = bytearray(pcap)
    at, first = _HEADER_BYTES, None
    while at + _RECORD_BYTES <= len(pcap):
        seconds, fraction, captured, _ = struct.unpack_from("<IIII", pcap, at)
        time = seconds * second + fraction
        first = time if first is None else first
        time += round(offset_s * second + (time - first) * drift_ppm / 1e6)
        struct.pack_into("<II", written, at, *divmod(time, second))
        at += _RECORD_BYTES + captured
    return bytes(written)


def facts_of(
    folder: Path, names: tuple[str, str], tmp_path: Path, offset_s: float, drift_ppm: float
) -> Facts:
    moved = tmp_path / names[1]
    moved.write_bytes(on_another_clock((folder / names[1]).read_bytes(), offset_s, drift_ppm))
    captures = [
        ingest_file(file, name=name, folder=None).capture
        for file, name in ((folder / names[0], names[0]), (moved, names[1]))
    ]
    return gather_facts([capture for capture in captures if capture is not None], [])


@pytest.mark.parametrize(
    ("case", "names", "losses"),
    [("snat-race", RACE, 29), ("rx-backlog", BACKLOG, 0)],
    ids=["nat", "weak-keys"],
)
@pytest.mark.parametrize(
    ("offset_s", "drift_ppm"), [(0.0, 0.0), (0.35, 0.0), (-7_300.0, 80.0), (0.004, -60.0)]
)
def test_losses_are_the_same_on_any_clock(
    extra_captures: Path,
    tmp_path: Path,
    case: str,
    names: tuple[str, str],
    losses: int,
    offset_s: float,
    drift_ppm: float,
) -> None:
    facts = facts_of(extra_captures / "lab" / case, names, tmp_path, offset_s, drift_ppm)
    assert len(facts.losses) == losses
    assert {loss.where for loss in facts.losses} <= {"between cni0 and eth0"}
    found = facts.clocks.between(names[1], names[0])
    assert found is not None
    moved = next(capture for capture in facts.captures if capture.name == names[1])
    shown_s = offset_s + drift_ppm / 1e6 * (found.at_ns - moved.first_ns) / 1e9
    assert abs(found.offset_ns / 1e9 - shown_s) < 0.0005
    assert found.drift_ppm == pytest.approx(drift_ppm, abs=1.0)

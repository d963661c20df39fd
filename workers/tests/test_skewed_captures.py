"""Two ends of one incident whose clocks are apart: what the timeline draws stands where the packets are drawn."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest

from backend.forensics.report import Report
from backend.services.open_tables import clocks_of, epoch_ns
from workers.pipeline import analyse, ingest_file

DEMO = Path(__file__).parents[2] / "backend" / "demo" / "rx-backlog"


def shifted(capture: bytes, by_us: int) -> bytes:
    """A little-endian pcap of microseconds with every packet later."""
    parts, at = [capture[:24]], 24
    while at < len(capture):
        seconds, micros, held, whole = struct.unpack_from("<IIII", capture, at)
        seconds, micros = divmod(seconds * 1_000_000 + micros + by_us, 1_000_000)
        parts += [struct.pack("<IIII", seconds, micros, held, whole), capture[at + 16 : at + 16 + held]]
        at += 16 + held
    return b"".join(parts)


def report_on(folder: Path, ahead_us: int) -> Report:
    """Of both ends, the receiver's clock being that much ahead."""
    files = {
        "a-receiver.pcap": shifted(gzip.decompress((DEMO / "receiver.pcap.gz").read_bytes()), ahead_us),
        "b-sender.pcap": gzip.decompress((DEMO / "sender.pcap.gz").read_bytes()),
    }
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    inputs = [ingest_file(folder / name, name=name, folder=None) for name in files]
    return analyse(inputs, label="skewed", created="2026-01-01T00:00:00Z", tool_version="0", folder=None)


@pytest.mark.parametrize("ahead_us", [0, 350_000, -4_000_000])
def test_marks_of_stalls_stand_where_their_packets_are_drawn(tmp_path: Path, ahead_us: int) -> None:
    report = report_on(tmp_path / "captures", ahead_us)
    (stalls,) = [finding for finding in report.findings if finding.kind == "rtt-backlog"]
    assert stalls.count == 10
    clock = clocks_of(report)["b-sender.pcap"]
    own = [epoch_ns(str(event["start"])) for event in stalls.events]
    drawn = [epoch_ns(mark.start) for mark in stalls.marks if mark.glyph == "band"]
    assert len(drawn) == 10
    assert all(abs(clock.common(start) - at) < 100_000 for start, at in zip(own, drawn, strict=True))
    assert all(abs(at - start - ahead_us * 1000) < 1_000_000 for start, at in zip(own, drawn, strict=True))

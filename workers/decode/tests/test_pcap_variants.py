"""Patched and foreign record headers give the packets that the usual ones give, as Wireshark reads them."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.forensics.captures import Capture
from workers.decode.interfaces import MAX_SNAP_LENGTH
from workers.decode.tests.capture_bytes import decode, ethernet, tcp

PACKETS = [ethernet(tcp(2, 1000 + n, ip_id=n + 1, payload=bytes(n))) for n in range(5)]
SECONDS = 1_700_000_000


def header(
    order: str, magic: int = 0xA1B2C3D4, version: tuple[int, int] = (2, 4), link_type: int = 1
) -> bytes:
    return struct.pack(order + "IHHiIII", magic, *version, 0, 0, 65535, link_type)


def records(order: str, *, extra: bytes = b"", swapped: bool = False, fraction: int = 123_456) -> bytes:
    """The packets, each captured one byte short of its length on the wire."""
    data = b""
    for n, packet in enumerate(PACKETS):
        lengths = (len(packet), len(packet) + 1)
        data += struct.pack(order + "IIII", SECONDS + n, fraction, *(lengths[::-1] if swapped else lengths))
        data += extra + packet
    return data


def snoop(*, padding: int = 2, drops: int = 7, version: int = 2, link: int = 4) -> bytes:
    data = b"snoop\0\0\0" + struct.pack(">II", version, link)
    for n, packet in enumerate(PACKETS):
        size = len(packet)
        data += struct.pack(">IIIIII", size + 1, size, 24 + size + padding, drops, SECONDS + n, 123_456)
        data += packet + bytes(padding)
    return data


MODIFIED, SUSE = b"\2\0\0\0\0\x08\0\0", b"\2\0\0\0\0\x08\0\0\0\0\0\0"
VARIANTS: dict[str, tuple[str, Callable[[str], bytes]]] = {
    "microseconds": ("pcap", lambda o: header(o) + records(o)),
    "nanoseconds": ("pcap", lambda o: header(o, 0xA1B23C4D) + records(o, fraction=123_456_000)),
    "modified (Linux 2.2)": ("pcap (modified)", lambda o: header(o, 0xA1B2CD34) + records(o, extra=MODIFIED)),
    "modified (SuSE 6.3)": ("pcap (modified)", lambda o: header(o, 0xA1B2CD34) + records(o, extra=SUSE)),
    "modified (Red Hat 6.1)": ("pcap (modified)", lambda o: header(o) + records(o, extra=MODIFIED)),
    "Nokia": ("pcap (Nokia)", lambda o: header(o) + records(o, extra=b"\1\2\3\4")),
    "Ixia hardware": ("pcap (Ixia)", lambda o: header(o, 0x1C0001AC) + bytes(4) + records(o)),
    "Ixia software": ("pcap (Ixia)", lambda o: header(o, 0x1C0001AB) + bytes(4) + records(o)),
    "AIX": (
        "pcap (AIX)",
        lambda o: header(o, version=(2, 2), link_type=6) + records(o, swapped=True, fraction=123_456_000),
    ),
    "before libpcap 0.4": ("pcap", lambda o: header(o, version=(2, 2)) + records(o, swapped=True)),
    "lengths either way": ("pcap", lambda o: header(o, version=(2, 3)) + records(o, swapped=True)),
    "DG/UX": ("pcap", lambda o: header(o, version=(543, 0)) + records(o, swapped=True)),
    "snoop": ("snoop", lambda o: snoop()),
}  # fmt: skip

every_variant = pytest.mark.parametrize(("name", "order"), [(n, o) for n in VARIANTS for o in "<>"])


@every_variant
def test_every_variant_gives_the_same_packets(name: str, order: str, tmp_path: Path) -> None:
    format_name, write = VARIANTS[name]
    expected = decode(VARIANTS["microseconds"][1]("<"), tmp_path)
    capture = decode(write(order), tmp_path)
    assert (capture.format, capture.packets, capture.warnings) == (format_name, 5, ())
    assert capture.connections.tobytes() == expected.connections.tobytes()
    assert capture.handshakes.tobytes() == expected.handshakes.tobytes()
    assert capture.vantage_points[0].link_type == "Ethernet"


@every_variant
def test_wireshark_reads_the_same(name: str, order: str, tshark: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(VARIANTS[name][1](order))
    fields = ["-T", "fields", "-e", "frame.time_epoch", "-e", "frame.cap_len", "-e", "frame.len"]
    shown = subprocess.run(
        [tshark, "-n", "-r", str(path), *fields], capture_output=True, text=True, check=True
    )
    lines = [line.split("\t") for line in shown.stdout.splitlines()]
    assert lines == [
        [f"{SECONDS + n}.123456000", str(len(packet)), str(len(packet) + 1)]
        for n, packet in enumerate(PACKETS)
    ]


@every_variant
def test_cut_anywhere_it_keeps_what_is_whole(name: str, order: str, tmp_path: Path) -> None:
    data = VARIANTS[name][1](order)
    whole = [0]
    for cut in range(200, len(data), 7):
        capture = decode(data[:cut], tmp_path)
        assert capture.packets >= whole[-1]
        whole.append(capture.packets)
        assert len(capture.warnings) <= 1
    assert whole[-1] == 4


def read_damaged(data: bytes, folder: Path) -> Capture:
    capture = decode(data, folder)
    assert capture.packets == 5
    return capture


@pytest.mark.parametrize("name", ["modified (Linux 2.2)", "Nokia"])
def test_an_odd_record_that_claims_too_much(name: str, tmp_path: Path) -> None:
    data = VARIANTS[name][1]("<")
    bad = struct.pack("<IIII", SECONDS, 0, MAX_SNAP_LENGTH + 1, 60) + bytes(100)
    capture = read_damaged(data + bad, tmp_path)
    assert capture.warnings[0].startswith("Packet 6 claims 2,147,483,647 bytes")


def test_a_snoop_record_shorter_than_its_packet(tmp_path: Path) -> None:
    bad = struct.pack(">IIIIII", 60, 60, 24 + 59, 0, SECONDS, 0) + bytes(100)
    assert len(read_damaged(snoop() + bad, tmp_path).warnings) == 1


def test_snoop_tells_drops_and_other_versions_are_named(tmp_path: Path) -> None:
    assert decode(snoop(drops=42), tmp_path).vantage_points[0].dropped_by_capture == 42
    other = decode(snoop(version=3), tmp_path)
    assert (other.packets, other.error) == (
        0,
        "This is version 3 of the snoop format; only version 2 is read.",
    )
    assert decode(snoop(link=26), tmp_path).undecoded == {"link type snoop datalink 26": 5}


def test_a_damaged_file_is_not_taken_for_a_patched_one(tmp_path: Path) -> None:
    data = bytearray(header("<") + records("<"))
    second = 24 + 16 + len(PACKETS[0])
    data[second + 8 : second + 12] = b"\xff\xff\xff\x7f"
    capture = decode(bytes(data), tmp_path)
    assert (capture.format, capture.packets) == ("pcap", 1)
    assert "Packet 2 claims 2,147,483,647 bytes" in capture.warnings[0]

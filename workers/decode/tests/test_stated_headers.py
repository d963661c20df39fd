"""Versions and reserved bits that a format does not define are stated, and the packets are read all the same."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from workers.decode.captures import decode_capture

PACKET = bytes(60)


def _pcap(
    folder: Path, *, version: tuple[int, int] = (2, 4), zone: int = 0, link: int = 1
) -> tuple[str, ...]:
    data = struct.pack("<IHHIIII", 0xA1B2C3D4, *version, zone, 0, 65_535, link)
    for number in range(3):
        data += struct.pack("<IIII", 1_700_000_000 + number, 0, len(PACKET), len(PACKET)) + PACKET
    (folder / "a.pcap").write_bytes(data)
    capture = decode_capture(folder / "a.pcap", name="a.pcap", sha256="", packets_path=None)
    assert capture.packets == 3
    return capture.warnings


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ({}, ""),
        ({"version": (2, 3)}, ""),  # libpcap before 0.4
        ({"link": 0xF400_0001}, ""),  # the length of the frame check sequence
        ({"version": (2, 5)}, "version 2.5 of pcap"),
        ({"version": (9, 77)}, "version 9.77 of pcap"),
        ({"zone": 5}, "Reserved fields of the file header, which are 0, hold 0x5"),
        ({"link": 0x0FF0_0001}, "Reserved bits of the file header's link type are set: 0x0bf00000"),
    ],
)
def test_a_pcap_header(tmp_path: Path, header: dict[str, int], said: str) -> None:
    warnings = _pcap(tmp_path, **header)  # type: ignore[arg-type]
    assert [said in each for each in warnings] == ([True] if said else [])


def _block(kind: int, body: bytes) -> bytes:
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


@pytest.mark.parametrize(
    ("version", "reserved", "said"),
    [
        ((1, 0), 0, ""),
        ((1, 2), 0, ""),
        ((1, 1), 0, "version 1.1 of pcapng"),
        ((7, 3), 0, "version 7.3 of pcapng"),
        ((1, 0), 9, "Reserved bytes of interface 0, which are 0, hold 0x0009"),
    ],
)
def test_pcapng_blocks(tmp_path: Path, version: tuple[int, int], reserved: int, said: str) -> None:
    data = _block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, *version, -1))
    data += _block(1, struct.pack("<HHI", 1, reserved, 65_535))
    for number in range(3):
        data += _block(6, struct.pack("<IIIII", 0, 400_000, number, len(PACKET), len(PACKET)) + PACKET)
    (tmp_path / "a.pcapng").write_bytes(data)
    capture = decode_capture(tmp_path / "a.pcapng", name="a.pcapng", sha256="", packets_path=None)
    assert capture.packets == 3
    assert [said in each for each in capture.warnings] == ([True] if said else [])

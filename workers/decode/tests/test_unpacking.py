"""Captures inside compressions: the same packets; damage and bombs end the reading, not the program."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from backend.limits import Limits
from workers.decode.captures import decode_capture
from workers.decode.identify import identify_file
from workers.decode.open_source import open_source
from workers.decode.tests.capture_bytes import decode, handshake, pcap
from workers.decode.tests.packed_bytes import PACKERS
from workers.decode.unpacking import COMPRESSIONS, FREE_BYTES

SAMPLES = Path(__file__).parent / "samples"
PLAIN = (SAMPLES / "big-endian.pcap").read_bytes()

every_compression = pytest.mark.parametrize("name", sorted(COMPRESSIONS))


def unpack(packed: bytes, folder: Path, limits: Limits = Limits(), piece: int = 100_000) -> tuple[bytes, str]:  # noqa: B008
    """All that comes out, and the damage in words."""
    path = folder / "packed"
    path.write_bytes(packed)
    with open_source(path, identify_file(path).compression, limits) as source:
        buffer = bytearray(piece)
        out = bytearray()
        while count := source.read_into(memoryview(buffer)):
            out += buffer[:count]
        return bytes(out), source.damage


@every_compression
def test_a_packed_capture_gives_the_same_packets(name: str, tmp_path: Path) -> None:
    plain, packed = decode(PLAIN, tmp_path), decode(PACKERS[name](PLAIN), tmp_path)
    assert (packed.packets, packed.format, packed.warnings) == (1500, "pcap", ())
    assert packed.connections.tobytes() == plain.connections.tobytes()


# zstd and lz4 have no padding of zeros.
@pytest.mark.parametrize(
    ("name", "padding"),
    [(name, n) for name in PACKERS for n in (0, 4, 600_000) if n == 0 or name not in ("zstd", "lz4")],
)
def test_several_members_and_padding(name: str, padding: int, tmp_path: Path) -> None:
    pack = PACKERS[name]
    out, damage = unpack(pack(b"abc") + pack(b"") + pack(b"def" * 1000) + bytes(padding), tmp_path)
    assert (out, damage) == (b"abc" + b"def" * 1000, "")


@every_compression
def test_what_came_before_the_cut_is_kept(name: str, tmp_path: Path) -> None:
    # Two members: lz4 unpacks whole blocks of up to 4 MiB only, and the first is complete.
    first, second = os.urandom(70_000), os.urandom(70_000)
    packed = PACKERS[name](first) + PACKERS[name](second)
    out, damage = unpack(packed[:-40_000], tmp_path)
    assert (first + second).startswith(out)
    assert len(out) >= len(first)
    assert damage == f"the {name} data ends early"


@every_compression
def test_bytes_that_do_not_belong_there_are_named(name: str, tmp_path: Path) -> None:
    out, damage = unpack(PACKERS[name](b"abc" * 99) + b"no member at all", tmp_path)
    assert (out, damage) == (b"abc" * 99, f"the {name} data is damaged")


@every_compression
def test_a_damaged_middle_never_raises(name: str, tmp_path: Path) -> None:
    content = os.urandom(300_000)
    packed = bytearray(PACKERS[name](content))
    packed[150_000:150_200] = bytes(200)
    out, damage = unpack(bytes(packed), tmp_path)
    assert damage or out != content


@every_compression
def test_a_bomb_is_stopped_by_its_ratio(name: str, tmp_path: Path) -> None:
    packed = PACKERS[name](bytes(FREE_BYTES + (8 << 20)))
    out, damage = unpack(packed, tmp_path, Limits(unpacked_ratio=200), piece=1 << 20)
    assert damage == "it unpacks to more than 200 times its size, the limit unpacked_ratio"
    assert len(out) == FREE_BYTES
    assert unpack(packed, tmp_path, Limits(unpacked_ratio=10_000_000), piece=1 << 20)[1] == ""


@every_compression
def test_the_limit_of_unpacked_bytes(name: str, tmp_path: Path) -> None:
    packed = PACKERS[name](b"ab" * 500)
    assert unpack(packed, tmp_path, Limits(unpacked_bytes=1000)) == (b"ab" * 500, "")
    out, damage = unpack(packed, tmp_path, Limits(unpacked_bytes=999))
    assert len(out) == 999
    assert damage == "it unpacks to more than 999 bytes, the limit unpacked_bytes"


@every_compression
def test_a_capture_that_unpacks_too_far_keeps_its_first_packets(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(PACKERS[name](pcap(handshake())) + PACKERS[name](pcap(handshake())[24:]))
    limits = Limits(unpacked_bytes=290)
    capture = decode_capture(path, name="x", sha256="", packets_path=None, limits=limits)
    assert capture.packets == 3
    assert "the limit unpacked_bytes" in capture.warnings[0]


def test_zstd_that_wants_gigabytes_of_memory(tmp_path: Path) -> None:
    # A frame header that asks for a window of 2 GiB (RFC 8878 section 3.1.1.1.2: exponent 21).
    out, damage = unpack(b"\x28\xb5\x2f\xfd\x00" + bytes([21 << 3]) + bytes(64), tmp_path)
    assert (out, damage) == (b"", "the zstd data needs more than 128 MiB of memory to unpack")
    assert damage in identify_file(tmp_path / "packed").reason

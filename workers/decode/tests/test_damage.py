"""A damaged file keeps what came before the damage, and says where it is."""

import gzip
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.forensics.packets import SYN
from workers.decode.captures import DecodeCancelled, DecodeProgress, NotACapture, decode_capture
from workers.decode.tests.capture_bytes import decode, enhanced, handshake, interface, pcap, section, tcp

SAMPLES = Path(__file__).parent / "samples"


def _pcapng() -> bytes:
    data = section() + interface("eth0")
    for when, packet in handshake():
        data += enhanced(0, when // 1000, packet)
    return data


@pytest.mark.parametrize(("data", "first"), [(pcap(handshake()), 24), (_pcapng(), 12)])
def test_cut_at_every_byte_keeps_all_whole_packets(data: bytes, first: int, tmp_path: Path) -> None:
    ends = [24 + sum(16 + len(packet) for _, packet in handshake()[:n]) for n in range(4)]
    for cut in range(first, len(data)):
        capture = decode(data[:cut], tmp_path)
        if data[0] != 0x0A:
            assert capture.packets == sum(1 for end in ends[1:] if end <= cut)
            assert bool(capture.warnings) == (cut not in ends)
    assert decode(data, tmp_path).packets == 3


def test_the_warning_names_packet_and_byte(tmp_path: Path) -> None:
    capture = decode((SAMPLES / "cut-in-packet.pcap").read_bytes(), tmp_path)
    words = "Packet 1,500 is cut short at byte 140,268. Everything before it was analysed."
    assert (capture.packets, capture.warnings, capture.error) == (1499, (words,), None)


def test_a_record_that_claims_too_much(tmp_path: Path) -> None:
    data = pcap(handshake()) + struct.pack("<IIII", 0, 0, 0x7FFFFFFF, 60) + bytes(100)
    capture = decode(data, tmp_path)
    assert capture.packets == 3
    assert capture.warnings[0].startswith("Packet 4 claims 2,147,483,647 bytes")
    alone = decode(data[:24] + struct.pack("<IIII", 0, 0, 0x7FFFFFFF, 60), tmp_path)
    assert alone.packets == 0
    assert alone.error is not None


def test_a_block_of_an_interface_never_described(tmp_path: Path) -> None:
    capture = decode(section() + interface() + enhanced(5, 1, tcp(SYN)), tmp_path)
    assert "names interface 5" in capture.warnings[0]


def test_a_gzip_file_that_ends_early(tmp_path: Path) -> None:
    packed = gzip.compress((SAMPLES / "big-endian.pcap").read_bytes())
    capture = decode(packed[: len(packed) // 2], tmp_path)
    assert 0 < capture.packets < 1500
    assert "the gzip data ends early" in capture.warnings[0]


def test_cancelling_leaves_no_table(tmp_path: Path) -> None:
    path, table = SAMPLES / "plain.pcapng", tmp_path / "packets.parquet"
    with pytest.raises(DecodeCancelled):
        decode_capture(path, name="x", sha256="", packets_path=table, cancelled=lambda: True)
    assert list(tmp_path.iterdir()) == []


def test_progress_ends_with_all_bytes(tmp_path: Path) -> None:
    seen: list[DecodeProgress] = []
    path = SAMPLES / "plain.pcapng"
    decode_capture(path, name="x", sha256="", packets_path=None, progress=seen.append)
    size = path.stat().st_size
    assert seen[-1] == DecodeProgress(1500, size, size)


_QUICK = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@_QUICK
@given(st.binary(max_size=400), st.sampled_from([0, 1, 12, 101, 108, 113, 228, 229, 276]))
def test_random_packets_never_raise(tmp_path: Path, packet: bytes, link_type: int) -> None:
    assert decode(pcap([(0, packet)], link_type), tmp_path).packets == 1


@_QUICK
@given(st.binary(max_size=600), st.sampled_from([pcap([]), pcap([], order=">"), section() + interface()]))
def test_random_records_never_raise(tmp_path: Path, tail: bytes, head: bytes) -> None:
    decode(head + tail, tmp_path)


@_QUICK
@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_changed_byte_never_raises(tmp_path: Path, at: int, value: int) -> None:
    for data in (pcap(handshake()), _pcapng()):
        changed = bytearray(data)
        changed[at % len(data)] = value
        try:
            decode(bytes(changed), tmp_path)
        except NotACapture:
            assert at % len(data) < 12

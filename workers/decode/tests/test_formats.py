"""Every container and link type gives the same packets."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from backend.forensics.connections import NEVER
from backend.forensics.packets import ICMP, NO_CONNECTION, PACKET_DTYPE, SYN
from workers.decode.captures import NotACapture, decode_capture
from workers.decode.tests.capture_bytes import (
    MS,
    START_NS,
    block,
    decode,
    enhanced,
    ethernet,
    handshake,
    interface,
    option,
    pcap,
    section,
    tcp,
)

SAMPLES = Path(__file__).parent / "samples"


def _rows(path: Path, folder: Path) -> dict[str, list[int]]:
    table = folder / "packets.parquet"
    decode_capture(path, name=path.name, sha256="", packets_path=table)
    rows: dict[str, list[int]] = pq.read_table(table).to_pydict()
    return rows


@pytest.mark.parametrize(
    "name",
    ["big-endian.pcap", "nanosecond.pcap", "plain.pcapng", "vlan.pcap", "raw-ip.pcap", "snap60.pcap"],
)
def test_the_same_packets_from_every_format(name: str, tmp_path: Path) -> None:
    expected = _rows(SAMPLES / "plain.pcap.gz", tmp_path)
    found = _rows(SAMPLES / name, tmp_path)
    assert set(found) == set(PACKET_DTYPE.names or ())
    changed = {key for key in found if found[key] != expected[key]}
    allowed = {
        "vlan.pcap": {"vlan", "captured_bytes", "original_bytes"},
        "raw-ip.pcap": {"captured_bytes", "original_bytes"},
        "snap60.pcap": {
            "captured_bytes",
            "timestamp_value",
            "timestamp_echo",
            "options_hash",
            "mss",
            "marks",
            "window_scale",
            "sack",
            "sacked_bytes",
        },
        "nanosecond.pcap": {"time_ns"},
    }
    assert changed <= allowed.get(name, set())


def test_vantage_points_of_a_named_pcapng(tmp_path: Path) -> None:
    path = SAMPLES / "three-interfaces.pcapng"
    capture = decode_capture(path, name=path.name, sha256="ab", packets_path=None)
    names = [(point.name, point.packets) for point in capture.vantage_points]
    assert names == [("veth1e2feb89", 160), ("cni0", 693), ("eth0", 647)]
    assert (capture.format, capture.packets, capture.sha256) == ("pcapng", 1500, "ab")
    assert capture.buckets["packets"].sum() == 1500


def test_cooked_v2_has_a_vantage_point_per_interface_index(tmp_path: Path) -> None:
    path = SAMPLES / "any.pcap"
    capture = decode_capture(path, name=path.name, sha256="", packets_path=None)
    assert {point.interface_index for point in capture.vantage_points} == {2, 3, 4, 5, 6, 7}
    assert capture.vantage_points[0].name == "interface 4"


def test_cooked_v1_calls_the_second_sighting_a_copy(tmp_path: Path) -> None:
    rows = _rows(SAMPLES / "any-sll1.pcap", tmp_path)
    assert sum(1 for marks in rows["marks"] if marks & 0x08) == 501


def test_sections_of_differing_byte_order_resolution_and_names(tmp_path: Path) -> None:
    packet = tcp(SYN)
    seconds = START_NS // 10**9
    base2 = option(9, bytes([0x80 | 10])) + option(14, struct.pack("<q", 100))
    picoseconds = option(9, bytes([12]), ">")
    data = section() + interface("eth0") + interface("eth0", options=base2)
    data += enhanced(0, seconds * 10**6 + 7, packet) + enhanced(1, (seconds << 10) + 512, packet)
    data += section(">") + interface("eth0", order=">", options=picoseconds)
    data += enhanced(0, 3 * 10**12 + 5_000, packet, ">")
    capture = decode(data, tmp_path, "x.pcapng", table=True)
    assert [point.name for point in capture.vantage_points] == ["eth0", "eth0 (2)", "eth0 (section 2)"]
    assert [point.first_ns for point in capture.vantage_points] == [
        START_NS + 7000, START_NS + 100 * 10**9 + 500_000_000, 3 * 10**9 + 5,
    ]  # fmt: skip
    assert [point.time_resolution_ns for point in capture.vantage_points] == [1000, 976562, 1]


def test_simple_and_obsolete_packet_blocks_and_statistics(tmp_path: Path) -> None:
    packet = tcp(SYN)
    size = struct.pack("<I", len(packet))
    obsolete = struct.pack("<HHIIII", 0, 0, 0, 1_000_000, len(packet), len(packet)) + packet
    statistics = struct.pack("<III", 0, 0, 0) + option(5, struct.pack("<Q", 42))
    data = section() + interface() + block(2, obsolete) + block(3, size + packet)
    data += block(0x0BAD, b"custom") + block(5, statistics)
    capture = decode(data, tmp_path, "x.pcapng")
    assert (capture.packets, capture.first_ns, capture.last_ns) == (2, 10**9, 10**9)
    assert capture.vantage_points[0].dropped_by_capture == 42
    assert capture.vantage_points[0].name == "x"


def test_an_interface_that_recorded_nothing_is_listed(tmp_path: Path) -> None:
    data = section() + interface("a") + interface("b") + enhanced(1, 1, tcp(SYN))
    points = decode(data, tmp_path, "x.pcapng").vantage_points
    assert [(point.name, point.packets, point.first_ns) for point in points] == [
        ("b", 1, 1000), ("a", 0, NEVER),
    ]  # fmt: skip


def test_several_gzip_members(tmp_path: Path) -> None:
    data = pcap(handshake())
    packed = gzip.compress(data[:100]) + gzip.compress(data[100:]) + bytes(512)
    capture = decode(packed, tmp_path)
    assert (capture.packets, capture.warnings) == (3, ())


def test_other_link_types_and_protocols_are_counted(tmp_path: Path) -> None:
    capture = decode(pcap([(0, b"abc"), (1, b"d")], link_type=189), tmp_path)
    assert (capture.packets, capture.undecoded) == (2, {"link type USB": 2})
    frames = [(0, ethernet(b"", 0x0806)), (0, ethernet(tcp(SYN)[:30])), (0, b"short")]
    capture = decode(pcap(frames, link_type=1), tmp_path)
    names = {"ARP": 1, "cut short in the transport header": 1, "cut short in the link header": 1}
    assert capture.undecoded == names


@pytest.mark.parametrize(
    ("link_type", "header"),
    [(0, b"\x02\0\0\0"), (0, b"\0\0\0\x02"), (108, b"\0\0\0\x02"), (228, b""), (12, b"")],
)
def test_loopback_and_raw_links(link_type: int, header: bytes, tmp_path: Path) -> None:
    packets = [(when, header + packet) for when, packet in handshake()]
    capture = decode(pcap(packets, link_type), tmp_path)
    assert len(capture.connections) == 1
    assert capture.connections["established_ns"][0] == START_NS + 20 * MS


def test_an_icmp_error_shows_what_it_quotes(tmp_path: Path) -> None:
    from workers.decode.tests.capture_bytes import ipv4

    error = ipv4(
        b"\x03\x01" + bytes(6) + tcp(SYN, 1234)[:28], ICMP, source="10.0.0.9", destination="10.0.0.1"
    )
    rows = decode(pcap([(0, error)]), tmp_path).handshakes
    quoted = rows[["source_port", "destination_port", "sequence", "connection", "icmp_type"]]
    assert quoted[0].tolist() == (40000, 80, 1234, NO_CONNECTION, 3)


def test_no_capture_is_refused_by_name(tmp_path: Path) -> None:
    for data, reason in ((b"", "an empty file"), (b"%PDF-1.4", "a PDF document"), (b"hello\n", "a text")):
        with pytest.raises(NotACapture, match=reason):
            decode(data, tmp_path)


def test_a_header_without_packets_is_an_empty_capture(tmp_path: Path) -> None:
    capture = decode((SAMPLES / "header-only.pcap").read_bytes(), tmp_path, table=True)
    assert (capture.packets, capture.first_ns, capture.error) == (0, NEVER, None)
    assert pq.read_metadata(tmp_path / "packets.parquet").num_rows == 0
    assert capture.connections.dtype.names is not None
    assert np.array_equal(capture.handshakes, np.zeros(0, PACKET_DTYPE))

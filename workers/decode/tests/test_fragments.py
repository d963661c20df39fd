"""Fragments belong to the flow of the one that has the ports, in whatever order they come."""

from __future__ import annotations

import struct
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from backend.forensics.captures import Capture
from backend.forensics.packets import ACK, NO_CONNECTION, SYN
from workers.decode.tests.capture_bytes import MS, decode, ethernet, ipv4, pcap, tcp

NO_HEADER = "fragment without the transport header, which no other fragment brought"


def pieces(packet: bytes, *sizes: int) -> list[bytes]:
    """An IPv4 packet in fragments of `sizes` bytes (multiples of 8) and a last one with the rest."""
    head, body = packet[:20], packet[20:]
    found, at = [], 0
    for size in [*sizes, len(body) - sum(sizes)]:
        more = 0x2000 if at + size < len(body) else 0
        field = struct.pack(">HHH", 20 + size, 77, more | at // 8)
        found.append(head[:2] + field + head[8:] + body[at : at + size])
        at += size
    return found


def udp(size: int) -> bytes:
    return ipv4(struct.pack(">HHHH", 5000, 6000, 8 + size, 0) + bytes(size), 17)


def rows_of(packets: list[bytes], folder: Path, link_type: int = 101) -> tuple[Capture, list[dict[str, int]]]:
    capture = decode(pcap([(n * MS, p) for n, p in enumerate(packets)], link_type), folder, table=True)
    return capture, pq.read_table(folder / "packets.parquet").to_pylist()


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_later_fragments_have_the_ports_of_the_first(order: tuple[int, ...], tmp_path: Path) -> None:
    parts = pieces(udp(100), 32, 32)
    capture, rows = rows_of([parts[n] for n in order], tmp_path)
    assert [(row["source_port"], row["destination_port"], row["connection"]) for row in rows] == [
        (5000, 6000, 0)
    ] * 3
    assert (capture.undecoded, capture.connections["client_packets"][0]) == ({}, 3)
    assert capture.connections["client_bytes"][0] == 100


def test_without_the_first_fragment_they_are_counted(tmp_path: Path) -> None:
    capture, rows = rows_of(pieces(udp(100), 32, 32)[1:], tmp_path)
    assert capture.undecoded == {NO_HEADER: 2}
    assert {row["connection"] for row in rows} == {NO_CONNECTION}


def test_another_packet_takes_nothing_from_them(tmp_path: Path) -> None:
    parts = pieces(udp(100), 32)
    other = bytearray(parts[1])
    other[4:6] = b"\0\x09"  # another identification
    capture, _ = rows_of([parts[0], bytes(other)], tmp_path)
    assert capture.undecoded == {NO_HEADER: 1}


@pytest.mark.parametrize("sizes", [(8,), (8, 8), (24,)])
def test_a_tcp_header_split_over_fragments_is_put_together(sizes: tuple[int, ...], tmp_path: Path) -> None:
    capture, rows = rows_of(pieces(tcp(SYN, 1234), *sizes), tmp_path)
    assert capture.undecoded == {}
    assert [row["destination_port"] for row in rows] == [80] * len(rows)
    assert (rows[-1]["sequence"], rows[-1]["timestamp_value"]) == (1234, 77)
    assert (capture.connections["isn"][0], capture.connections["syns"][0]) == (1234, 1)


def test_a_fragmented_segment_leaves_no_hole(tmp_path: Path) -> None:
    """The segment behind it begins where its last fragment ends."""
    first, then = tcp(ACK, 1000, payload=bytes(100)), tcp(ACK, 1100, payload=b"next", ip_id=9)
    capture, rows = rows_of([*pieces(first, 64), then, tcp(ACK, 9, 1104, back=True, ip_id=5)], tmp_path)
    assert [row["marks"] for row in rows] == [0, 0, 0, 0]
    assert capture.connections["lost_segments"][0] == 0


def test_fragments_of_a_tunnel_packet_belong_to_the_connection_inside(tmp_path: Path) -> None:
    inner = ethernet(tcp(ACK, 1, payload=bytes(200)))
    payload = struct.pack(">B3xI", 0x08, 5 << 8) + inner
    outer = ipv4(
        struct.pack(">HHHH", 50000, 4789, 8 + len(payload), 0) + payload, 17, "172.16.0.1", "172.16.0.2"
    )
    capture, rows = rows_of(pieces(outer, 128), tmp_path)
    assert [(row["destination_port"], row["tunnel"], row["connection"]) for row in rows] == [(80, 1, 0)] * 2
    assert capture.connections["client_bytes"][0] == 200


def test_ipv6_fragments(tmp_path: Path) -> None:
    body = struct.pack(">HHHH", 5000, 6000, 48, 0) + bytes(40)

    def piece(offset: int, size: int, more: int) -> bytes:
        part = struct.pack(">BBHI", 17, 0, offset | more, 99) + body[offset : offset + size]
        head = struct.pack(">IHBB", 6 << 28, len(part), 44, 64)
        return head + bytes(15) + b"\1" + bytes(15) + b"\2" + part

    capture, rows = rows_of([piece(0, 24, 1), piece(24, 24, 0)], tmp_path)
    assert [(row["source_port"], row["connection"]) for row in rows] == [(5000, 0)] * 2
    assert (capture.undecoded, capture.connections["client_bytes"][0]) == ({}, 40)

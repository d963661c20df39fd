"""What the loop knows of a packet before it reads it serves that packet alone."""

from __future__ import annotations

import struct
from pathlib import Path

from backend.forensics.packets import ACK, PSH, SYN
from workers.decode.tests.capture_bytes import (
    CLIENT,
    MS,
    SERVER,
    decode,
    enhanced,
    ethernet,
    interface,
    ipv4,
    pcap,
    section,
    tcp,
)


def _segment(number: int) -> bytes:
    return ethernet(tcp(ACK | PSH, 1000 + 10 * number, 5001, payload=b"x" * 10, ip_id=number + 1))


def test_one_tuple_at_two_interfaces_by_turns(tmp_path: Path) -> None:
    """The hash of a tuple is another at each vantage point."""
    file = section() + interface("a", link_type=1) + interface("b", link_type=1)
    for number in range(20):
        file += enhanced(number % 2, number * 1000, _segment(number // 2))
    capture = decode(file, tmp_path, "two.pcapng")
    assert capture.connections["vantage"].tolist() == [0, 1]
    assert capture.connections["client_packets"].tolist() == [10, 10]


def test_the_bytes_of_a_later_fragment_are_no_ports(tmp_path: Path) -> None:
    """Of a packet whose header lies in two fragments: what stands in the place of ports in the second is not one."""
    whole = tcp(SYN, 7, ip_id=77)[20:]
    head, rest = whole[:16], whole[16:] + bytes(24)
    pieces = []
    for at, body, more in ((0, head, 0x2000), (2, rest, 0)):
        packet = bytearray(ipv4(body, 6, CLIENT, SERVER, ip_id=77))
        packet[6:8] = struct.pack(">H", more | at)
        pieces.append(ethernet(bytes(packet)))
    packets = [_segment(0), *pieces, _segment(1), ethernet(tcp(SYN, 9, ip_id=78))]
    capture = decode(pcap([(n * MS, p) for n, p in enumerate(packets)], link_type=1), tmp_path)
    assert set(zip(capture.connections["client_port"], capture.connections["server_port"], strict=True)) == {
        struct.unpack(">HH", whole[:4])
    }


def test_a_tag_between_plain_packets(tmp_path: Path) -> None:
    """A tagged packet of the same tuple is another connection, and those around it are one."""
    tagged = ethernet(struct.pack(">HH", 5, 0x0800) + _segment(1)[14:], 0x8100)
    packets = [_segment(0), tagged, _segment(1), _segment(2)]
    capture = decode(pcap([(n * MS, p) for n, p in enumerate(packets)], link_type=1), tmp_path)
    assert capture.connections["vlan"].tolist() == [0, 5]
    assert (capture.connections["client_packets"] + capture.connections["server_packets"]).tolist() == [3, 1]

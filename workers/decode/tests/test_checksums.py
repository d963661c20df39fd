"""Checksums of each packet, against scapy's sums and tshark's verdicts."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq
import pytest
from scapy.compat import raw
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_Router_Alert, IPOption_SSRR
from scapy.layers.inet6 import (
    HAO,
    ICMPv6EchoRequest,
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
)
from scapy.layers.l2 import Dot1Q, Ether
from scapy.layers.sctp import SCTP
from scapy.layers.vxlan import VXLAN
from scapy.packet import Packet

from backend.forensics.messages import WRONG_CHECKSUMS
from backend.forensics.packets import (
    CHECKSUM_BITS,
    CHECKSUM_PARTIAL,
    CHECKSUM_RIGHT,
    CHECKSUM_UNKNOWN,
    CHECKSUM_WRONG,
    CHECKSUM_ZERO,
    HEADER_CHECKSUM,
    OUTER_HEADER_CHECKSUM,
    OUTER_TRANSPORT_CHECKSUM,
    TRANSPORT_CHECKSUM,
)
from workers.decode.tests.capture_bytes import decode, pcap
from workers.decode.tests.conversation import rows

RIGHT, WRONG, UNKNOWN, PARTIAL, ZERO = (
    CHECKSUM_RIGHT, CHECKSUM_WRONG, CHECKSUM_UNKNOWN, CHECKSUM_PARTIAL, CHECKSUM_ZERO,
)  # fmt: skip
ETHERNET: Final = 1
V4: Final[dict[str, Any]] = {"src": "10.0.0.1", "dst": "10.0.0.2"}
V6: Final[dict[str, Any]] = {"src": "fd00::1", "dst": "fd00::2"}
LINK: Final = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
SEGMENT: Final[dict[str, Any]] = {"sport": 40000, "dport": 80, "seq": 7, "flags": "PA"}


def _checksums(folder: Path, frames: list[bytes], snap_bytes: int = 262144) -> list[int]:
    file = pcap([(n, frame) for n, frame in enumerate(frames)], ETHERNET, snap_bytes=snap_bytes)
    decode(file.replace(b"\xff\xff\0\0", b"\0\0\x04\0", 1), folder, table=True)
    found: list[int] = pq.read_table(folder / "packets.parquet").column("checksums").to_pylist()
    return found


def _of(value: int) -> tuple[int, int, int, int]:
    """(IPv4 header, transport) of the packet, and the same of the tunnel around it."""
    places = HEADER_CHECKSUM, TRANSPORT_CHECKSUM, OUTER_HEADER_CHECKSUM, OUTER_TRANSPORT_CHECKSUM
    header, transport, outer_header, outer_transport = (value >> place & CHECKSUM_BITS for place in places)
    return header, transport, outer_header, outer_transport


def _folded(value: int) -> int:
    while value >> 16:
        value = (value & 0xFFFF) + (value >> 16)
    return value


def _pseudo(protocol: int, length: int) -> int:
    """Sum over the pseudo header of a packet between the addresses of V4."""
    addresses = bytes((10, 0, 0, 1, 10, 0, 0, 2))
    return _folded(sum(int.from_bytes(addresses[n : n + 2]) for n in range(0, 8, 2)) + protocol + length)


def _tcp(payload: bytes = b"x" * 100, **fields: Any) -> Packet:
    return IP(**V4) / TCP(**SEGMENT, **fields) / payload


PACKETS: Final[dict[str, tuple[Callable[[], Packet], tuple[int, ...]]]] = {
    "tcp": (_tcp, (RIGHT, RIGHT)),
    "an odd length": (lambda: _tcp(b"odd"), (RIGHT, RIGHT)),
    "no payload": (lambda: _tcp(b""), (RIGHT, RIGHT)),
    "wrong tcp": (lambda: _tcp(chksum=0x1234), (RIGHT, WRONG)),
    "wrong header": (lambda: IP(**V4, chksum=1) / TCP(**SEGMENT), (WRONG, RIGHT)),
    "never computed": (lambda: IP(**V4, chksum=0) / TCP(**SEGMENT, chksum=0), (ZERO, ZERO)),
    "left to the card": (lambda: _tcp(chksum=_pseudo(6, 120)), (RIGHT, PARTIAL)),
    "left with its length": (lambda: _tcp(chksum=_pseudo(6, 0)), (RIGHT, PARTIAL)),
    "udp": (lambda: IP(**V4) / UDP(dport=9) / b"abc", (RIGHT, RIGHT)),
    "udp without": (lambda: IP(**V4) / UDP(dport=9, chksum=0) / b"abc", (RIGHT, ZERO)),
    "wrong udp": (lambda: IP(**V4) / UDP(dport=9, chksum=5) / b"abc", (RIGHT, WRONG)),
    "udp shorter than ip": (
        lambda: IP(**V4, proto=17) / raw(IP(raw(IP(**V4) / UDP(dport=9) / b"ab"))[UDP]) / b"tail",
        (RIGHT, RIGHT),
    ),
    "icmp": (lambda: IP(**V4) / ICMP() / b"12345", (RIGHT, RIGHT)),
    "wrong icmp": (lambda: IP(**V4) / ICMP(chksum=9) / b"12345", (RIGHT, WRONG)),
    "sctp": (lambda: IP(**V4) / SCTP(), (RIGHT, UNKNOWN)),
    "an option": (lambda: IP(**V4, options=[IPOption_Router_Alert()]) / UDP(dport=9), (RIGHT, UNKNOWN)),
    "a source route": (lambda: IP(**V4, options=[IPOption_SSRR(routers=["10.0.0.9"])]) / TCP(), (RIGHT, UNKNOWN)),
    "a fragment": (lambda: IP(**V4, flags="MF") / TCP(**SEGMENT) / b"xxxxxxxx", (RIGHT, UNKNOWN)),
    "tcp over ipv6": (lambda: IPv6(**V6) / TCP(**SEGMENT) / b"abc", (UNKNOWN, RIGHT)),
    "icmpv6": (lambda: IPv6(**V6) / ICMPv6EchoRequest(data=b"abc"), (UNKNOWN, RIGHT)),
    "hop by hop and destination": (
        lambda: IPv6(**V6) / IPv6ExtHdrHopByHop() / IPv6ExtHdrDestOpt() / UDP(dport=9) / b"abc",
        (UNKNOWN, RIGHT),
    ),
    "a route at its end": (
        lambda: IPv6(**V6) / IPv6ExtHdrRouting(addresses=["fd00::9"], segleft=0) / TCP(**SEGMENT),
        (UNKNOWN, RIGHT),
    ),
    "a route": (
        lambda: IPv6(**V6) / IPv6ExtHdrRouting(addresses=["fd00::9"], segleft=1) / TCP(**SEGMENT, chksum=1),
        (UNKNOWN, UNKNOWN),
    ),
    "a home address": (
        lambda: IPv6(**V6) / IPv6ExtHdrDestOpt(options=[HAO(hoa="fd00::9")]) / TCP(**SEGMENT, chksum=1),
        (UNKNOWN, UNKNOWN),
    ),
    "in vxlan": (
        lambda: IP(**V4) / UDP(dport=4789, chksum=0) / VXLAN(vni=1, flags=8) / LINK / _tcp(),
        (RIGHT, RIGHT, RIGHT, ZERO),
    ),
    "wrong in vxlan": (
        lambda: IP(**V4) / UDP(dport=4789) / VXLAN(vni=1, flags=8) / LINK / _tcp(chksum=3),
        (RIGHT, WRONG, RIGHT, RIGHT),
    ),
    "in wrong vxlan": (
        lambda: IP(**V4) / UDP(dport=4789, chksum=7) / VXLAN(vni=1, flags=8) / LINK / _tcp(),
        (RIGHT, RIGHT, RIGHT, WRONG),
    ),
    "a segment for segmentation": (lambda: _tcp(b"z" * 60001), (RIGHT, RIGHT)),
}  # fmt: skip


@pytest.mark.parametrize("tags", [0, 2])
@pytest.mark.parametrize("name", PACKETS)
def test_each_kind_of_packet(tmp_path: Path, name: str, tags: int) -> None:
    make, expected = PACKETS[name]
    link = LINK
    for number in range(tags):
        link /= Dot1Q(vlan=7 + number)
    [value] = _checksums(tmp_path, [raw(link / make())])
    assert _of(value) == (*expected, 0, 0)[:4]


def test_what_follows_the_packet_in_its_frame_counts_for_nothing(tmp_path: Path) -> None:
    frames = [raw(LINK / _tcp(b"ab")) + padding for padding in (b"", b"\xff" * 6, b"\x01" * 31)]
    assert {_of(value)[:2] for value in _checksums(tmp_path, frames)} == {(RIGHT, RIGHT)}


def test_a_cut_packet_makes_no_claim(tmp_path: Path) -> None:
    frames = [raw(LINK / _tcp(chksum=sum_)) for sum_ in (0x1234, _pseudo(6, 120))]
    assert [_of(value)[:2] for value in _checksums(tmp_path, frames, 100)] == [
        (RIGHT, UNKNOWN),
        (RIGHT, PARTIAL),
    ]


def test_packets_without_a_length_are_as_long_as_their_frame(tmp_path: Path) -> None:
    """Linux writes 0 into packets that are too long for the length's field."""
    packet = bytearray(raw(_tcp(b"y" * 1000)))
    packet[2:4] = packet[10:12] = bytes(2)
    header = ~_folded(sum(int.from_bytes(packet[n : n + 2]) for n in range(0, 20, 2))) & 0xFFFF
    packet[10:12] = header.to_bytes(2)
    [value] = _checksums(tmp_path, [raw(Ether(src=LINK.src, dst=LINK.dst, type=0x800)) + bytes(packet)])
    assert _of(value)[:2] == (RIGHT, RIGHT)


def _random_packet(chance: random.Random) -> Packet:
    network = chance.choice((IP(**V4), IPv6(**V6), IPv6(**V6) / IPv6ExtHdrHopByHop()))
    transport = chance.choice(
        (TCP(**SEGMENT, options=[("Timestamp", (chance.getrandbits(32), 0))]), UDP(dport=9), TCP(**SEGMENT))
    )
    payload = chance.randbytes(chance.choice((0, 1, 2, 3, 7, 8, 9, 63, 64, 65, chance.randrange(9000))))
    packet = network / transport / payload
    if chance.random() < 0.3:
        packet = IP(**V4) / UDP(dport=4789) / VXLAN(vni=3, flags=8) / LINK / packet
    return packet


def test_one_flipped_bit_is_found_wherever_it_is(tmp_path: Path) -> None:
    """Random packets, each right as scapy makes it and wrong with any bit of its payload or numbers flipped."""
    chance = random.Random(4)
    good, bad = [], []
    for _ in range(150):
        frame = raw(LINK / _random_packet(chance))
        transport: Any = Ether(frame).getlayer(TCP) or Ether(frame).getlayer(UDP)
        first = len(frame) - len(transport) if not transport.haslayer(VXLAN) else len(frame)
        good.append(frame)
        damaged = bytearray(frame)
        bit = chance.randrange(8 * (first + (4 if first < len(frame) else -8)), 8 * len(frame))
        damaged[bit // 8] ^= 1 << bit % 8
        bad.append(bytes(damaged))
    assert all(WRONG not in _of(value) and RIGHT in _of(value)[:2] for value in _checksums(tmp_path, good))
    for number, value in enumerate(_checksums(tmp_path, bad)):
        assert WRONG in _of(value), number


STATUS: Final = {"0": WRONG, "1": RIGHT, "2": UNKNOWN, "3": ZERO, "4": ZERO, "": UNKNOWN}


def _tshark(path: Path) -> list[list[list[int]]]:
    """Of each frame the values of each IPv4 header, TCP and UDP checksum, outer ones first."""
    names = ("ip.checksum.status", "tcp.checksum.status", "udp.checksum.status")
    options = [f"{name.split('.')[0]}.check_checksum:TRUE" for name in names]
    command = ["tshark", "-n", "-r", str(path), "-T", "fields", "-E", "separator=|"]
    command += [part for option in (*options, "ip.defragment:FALSE") for part in ("-o", option)]
    command += [part for name in names for part in ("-e", name)]
    lines = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=60
    ).stdout.splitlines()
    return [[[STATUS[v] for v in text.split(",")] for text in line.split("|")] for line in lines]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_tshark_says_the_same(tmp_path: Path) -> None:
    chance = random.Random(9)
    frames = []
    for number in range(300):
        frame = bytearray(raw(LINK / _random_packet(chance)))
        if number % 3 == 0:
            frame[chance.randrange(24, len(frame))] ^= 1 << chance.randrange(8)
        frames.append(bytes(frame))
    values = _checksums(tmp_path, frames)
    compared = 0
    for number, (value, theirs) in enumerate(zip(values, _tshark(tmp_path / "test.pcap"), strict=True)):
        ours = _of(value)
        known = {v for part in theirs for v in part} - {UNKNOWN}
        transport = {v for part in theirs[1:] for v in part} & {RIGHT, WRONG}
        if ours[1] in (RIGHT, WRONG) and PARTIAL not in ours and transport:  # it reads no damaged header on
            compared += 1
            assert (WRONG in ours) == (WRONG in known), number
    assert compared > 250


def test_wrong_ones_are_kept_and_counted_with_their_connection(tmp_path: Path) -> None:
    wrong = [raw(LINK / _tcp(chksum=5)) for _ in range(WRONG_CHECKSUMS + 9)]
    partial = [raw(LINK / _tcp(chksum=_pseudo(6, 120)))] * 3
    frames = [raw(LINK / _tcp()), *partial, *wrong, raw(LINK / IP(**V4) / ICMP(chksum=9))]
    capture = decode(pcap([(n, frame) for n, frame in enumerate(frames)], ETHERNET), tmp_path)
    [connection] = capture.connections
    assert (connection["wrong_checksums"], connection["partial_checksums"]) == (len(wrong), 3)
    kept = rows(capture, "wrong_checksums")
    assert [row["frame"] for row in kept] == [*range(5, 5 + WRONG_CHECKSUMS), len(frames)]
    assert (kept[0]["sequence"], kept[0]["payload_bytes"], kept[0]["destination_port"]) == (7, 100, 80)

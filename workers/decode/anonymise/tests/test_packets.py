"""Packets in everything that the decoder looks into: other addresses, the same connection, right checksums."""

import ipaddress
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_RR
from scapy.layers.inet6 import (
    ICMPv6DestUnreach,
    ICMPv6ND_NS,
    ICMPv6NDOptSrcLLAddr,
    IPv6,
    IPv6ExtHdrFragment,
)
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.layers.vxlan import VXLAN
from scapy.utils import rdpcap

from workers.decode.anonymise.interface_blocks import section_block
from workers.decode.anonymise.pseudonyms import Pseudonyms
from workers.decode.anonymise.tests.anonymised import PSEUDONYMS, anonymised, tshark_fields
from workers.decode.captures import decode_capture
from workers.decode.tests.capture_bytes import decode, enhanced, interface, pcap, section, tcp
from workers.decode.tests.encapsulations import ENCAPSULATIONS

WHO = ("source_high", "source_low", "destination_high", "destination_low")
HOSTS = ("10.77.13.201", "10.77.14.9", "203.0.113.77", "198.51.100.200")


def written(frames: list[tuple[int, bytes]], folder: Path) -> Path:
    """A pcapng with an interface for each link type."""
    links = sorted({link for link, _ in frames})
    data = section() + b"".join(interface(f"i{link}", link_type=link) for link in links)
    for when, (link, frame) in enumerate(frames):
        data += enhanced(links.index(link), when, frame)
    path = folder / "mixed.pcapng"
    path.write_bytes(data)
    return path


def table(path: Path, folder: Path, name: str) -> list[dict[str, Any]]:
    packets = folder / f"{name}.parquet"
    decode_capture(path, name="x", sha256="", packets_path=packets)
    rows: list[dict[str, Any]] = pq.read_table(packets).to_pylist()
    return rows


def mapped(high: int, low: int) -> tuple[int, int]:
    number = PSEUDONYMS.addresses.ipv6(high << 64 | low)
    return number >> 64, number & 0xFFFFFFFFFFFFFFFF


def test_in_every_encapsulation_the_row_is_the_same_but_for_addresses(tmp_path: Path) -> None:
    numbers = random.Random(3)
    frames = []
    for each in ENCAPSULATIONS:
        inner: Any = (
            IPv6(src="2001:db8::7", dst="2001:db8::99") if each.only == 6 else IP(src=HOSTS[0], dst=HOSTS[1])
        )
        packet = inner / TCP(sport=41000, dport=8080, flags="PA", seq=7, ack=9) / (b"top secret payload" * 3)
        frames.append((each.link_type, bytes(each.write(packet, numbers.randrange(1, 1 << each.bits)))))
    path = written(frames, tmp_path)
    target = anonymised(path, tmp_path)
    before, after = table(path, tmp_path, "before"), table(target, tmp_path, "after")
    assert len(before) == len(after) == len(ENCAPSULATIONS)
    for encapsulation, old, new in zip(ENCAPSULATIONS, before, after, strict=True):
        if old["ip_version"]:
            assert mapped(old["source_high"], old["source_low"]) == (new["source_high"], new["source_low"])
        different = {key for key in old if old[key] != new[key] and key not in WHO}
        assert not different, (encapsulation.name, different)
    data = target.read_bytes()
    assert b"secret" not in data
    assert not [host for host in HOSTS if ipaddress.IPv4Address(host).packed in data]
    assert ipaddress.IPv6Address("2001:db8::99").packed not in data


def all_right(path: Path) -> list[str]:
    """Frames whose checksums change when scapy computes them."""
    wrong = []
    for number, packet in enumerate(rdpcap(str(path)), 1):
        whole = bytes(packet)
        again = packet.copy()
        for layer in again.layers():
            found: Any = again.getlayer(layer)
            for name in {"chksum", "cksum"} & found.fields.keys():
                found.delfieldval(name)
        if bytes(again) != whole:
            wrong.append(f"{number}: {packet.summary()}")
    return wrong


def ether(packet: Any) -> Any:
    return Ether(src="02:42:ac:11:00:02", dst="00:1b:21:aa:bb:cc") / packet


def test_checksums_are_right_where_they_were(tmp_path: Path) -> None:
    v4, v6 = IP(src=HOSTS[0], dst=HOSTS[2]), IPv6(src="2001:db8::7", dst="fd00::99")
    outer = IP(src=HOSTS[1], dst=HOSTS[3])
    quoted = IP(src=HOSTS[2], dst=HOSTS[0]) / UDP(sport=5, dport=6) / b"quoted words"
    frames = [
        ether(v4 / TCP(sport=1, dport=2, options=[("MSS", 1460), ("Timestamp", (7, 0))]) / b"odd"),
        ether(v4 / UDP(sport=1, dport=2) / b"some more words"),
        ether(v6 / TCP(sport=1, dport=2) / b"even"),
        ether(v6 / UDP(sport=3, dport=2) / b"!"),
        ether(Dot1Q(vlan=7) / v4 / ICMP(type=8) / b"ping"),
        ether(v4 / ICMP(type=3, code=1) / quoted),
        ether(
            outer / UDP(sport=50000, dport=4789) / VXLAN(vni=7) / ether(v4 / TCP(sport=1, dport=2) / b"in it")
        ),
        ether(IP(src=HOSTS[0], dst=HOSTS[1], options=[IPOption_RR(routers=[HOSTS[3]] * 3)]) / UDP() / b"z"),
        ether(v6 / ICMPv6ND_NS(tgt="2001:db8::99") / ICMPv6NDOptSrcLLAddr(lladdr="02:42:ac:11:00:02")),
        ether(
            v6
            / ICMPv6DestUnreach()
            / IPv6(src="fd00::99", dst="2001:db8::7")
            / UDP(sport=5, dport=6)
            / b"quoted"
        ),
    ]
    path = tmp_path / "checksums.pcap"
    path.write_bytes(pcap([(n, bytes(frame)) for n, frame in enumerate(frames)], link_type=1))
    assert all_right(path) == []
    target = anonymised(path, tmp_path)
    assert all_right(target) == []
    data = target.read_bytes()
    assert not [host for host in HOSTS if ipaddress.IPv4Address(host).packed in data]
    assert bytes.fromhex("0242ac110002") not in data
    assert not [word for word in (b"words", b"quoted", b"ping", b"in it") if word in data]


def test_a_wrong_checksum_stays_wrong_and_one_left_to_the_card_stays_so(tmp_path: Path) -> None:
    wrong = bytes(ether(IP(src=HOSTS[0], dst=HOSTS[1]) / TCP(sport=1, dport=2, chksum=0x1234) / b"payload"))
    pseudo = ipaddress.IPv4Address(HOSTS[0]).packed + ipaddress.IPv4Address(HOSTS[1]).packed
    left = sum(struct.unpack("!4H", pseudo)) + 6 + 27
    left = (left & 0xFFFF) + (left >> 16)
    partial = bytes(ether(IP(src=HOSTS[0], dst=HOSTS[1]) / TCP(sport=1, dport=2, chksum=left) / b"payload"))
    path = tmp_path / "wrong.pcap"
    path.write_bytes(pcap([(1, wrong), (2, partial)], link_type=1))
    target = anonymised(path, tmp_path)
    assert len(all_right(target)) == 2
    packet = rdpcap(str(target))[1]
    ends = ipaddress.IPv4Address(packet[IP].src).packed + ipaddress.IPv4Address(packet[IP].dst).packed
    expected = sum(struct.unpack("!4H", ends)) + 6 + 27
    assert packet[TCP].chksum == (expected & 0xFFFF) + (expected >> 16)


@pytest.mark.skipif(not Path("/usr/bin/tshark").exists(), reason="tshark is not installed")
def test_wireshark_puts_fragments_together_and_finds_their_checksum_right(tmp_path: Path) -> None:
    whole = bytes(
        IP(src=HOSTS[0], dst=HOSTS[1], id=7) / UDP(sport=1000, dport=2000) / (bytes(range(256)) * 2)
    )
    rest = whole[20:]
    frames = []
    for at in range(0, len(rest), 200):
        more = int(at + 200 < len(rest))
        head = IP(src=HOSTS[0], dst=HOSTS[1], id=7, proto=17, flags=more, frag=at // 8)
        frames.append(bytes(ether(head / rest[at : at + 200])))
    path = tmp_path / "fragments.pcap"
    path.write_bytes(pcap([(n, frame) for n, frame in enumerate(frames)], link_type=1))
    for capture in (path, anonymised(path, tmp_path)):
        told = tshark_fields(capture, "ip.checksum.status", "udp.checksum.status", "udp.length")
        assert [line.split("\t")[0] for line in told] == ["1", "1", "1"]
        assert told[-1].split("\t")[1:] == ["1", "520"]


def test_arp_tells_other_addresses_of_both_kinds_and_the_same_ones_as_packets(tmp_path: Path) -> None:
    frames = [
        ether(ARP(op=2, hwsrc="02:42:ac:11:00:02", psrc=HOSTS[0], hwdst="00:1b:21:aa:bb:cc", pdst=HOSTS[1])),
        ether(IP(src=HOSTS[0], dst=HOSTS[1]) / UDP()),
    ]
    path = tmp_path / "arp.pcap"
    path.write_bytes(pcap([(n, bytes(frame)) for n, frame in enumerate(frames)], link_type=1))
    arp, packet = rdpcap(str(anonymised(path, tmp_path)))
    assert (arp[ARP].psrc, arp[ARP].pdst) == (packet[IP].src, packet[IP].dst)
    assert (arp[ARP].hwsrc, arp[ARP].hwdst) == (packet[Ether].src, packet[Ether].dst)
    assert arp[ARP].psrc == PSEUDONYMS.address_text(HOSTS[0]) != HOSTS[0]


def test_what_cannot_be_read_is_not_copied(tmp_path: Path) -> None:
    secret = b"somebody's words"
    packets = [
        bytes(ether(b""))[:12] + b"\x88\xcc" + secret,  # LLDP
        bytes(ether(IP(src=HOSTS[0], dst=HOSTS[1], proto=200) / secret)),
        bytes(ether(IP(src=HOSTS[0], dst=HOSTS[1]) / TCP(options=[(253, secret)]) / b"")),
        bytes(ether(IPv6(src="2001:db8::7", dst="fd00::99") / IPv6ExtHdrFragment(offset=50) / secret)),
        bytes(ether(IP(src=HOSTS[0], dst=HOSTS[1]) / UDP() / b""))+ secret,  # behind the packet's end
        secret,
        b"",
    ]  # fmt: skip
    for link_type in (1, 147):
        path = tmp_path / f"odd-{link_type}.pcap"
        path.write_bytes(pcap(list(enumerate(packets)), link_type=link_type))
        target = anonymised(path, tmp_path)
        data = target.read_bytes()
        assert b"somebody" not in data
        assert ipaddress.IPv4Address(HOSTS[0]).packed not in data
        assert [len(each) for each in rdpcap(str(target))] == [len(each) for each in rdpcap(str(path))]


def test_random_bytes_never_come_through(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1)
    packets = []
    for n in range(400):
        body = bytearray(numbers.bytes(int(numbers.integers(0, 120))))
        body[12:15] = (b"\x08\x00\x45", b"\x86\xdd\x60", b"\x81\x00\x00", b"\x88\x47\x00")[n % 4]
        packets.append(bytes(body) + b"MARKER-OF-ITS-END")
    path = tmp_path / "noise.pcap"
    path.write_bytes(pcap(list(enumerate(packets)), link_type=1))
    assert b"OF-ITS-END" not in anonymised(path, tmp_path).read_bytes()


def test_comments_names_secrets_and_who_captured_are_gone_but_not_the_counts(tmp_path: Path) -> None:
    def text(code: int, words: bytes) -> bytes:
        return struct.pack("<HH", code, len(words)) + words + bytes(-len(words) % 4)

    def block(kind: int, body: bytes) -> bytes:
        length = struct.pack("<I", len(body) + 12)
        return struct.pack("<I", kind) + length + body + length

    frame = bytes(ether(IP(src=HOSTS[0], dst=HOSTS[1]) / UDP() / b"hello"))
    head = struct.pack("<IHHQ", 0x1A2B3C4D, 1, 0, 0xFFFFFFFFFFFFFFFF)
    link = struct.pack("<HHI", 1, 0, 262144)
    options = (
        text(2, b"acme-uplink") + text(9, b"\x09") + text(11, b"\0host 203.0.113.77 and port 80") + bytes(4)
    )
    packet = struct.pack("<IIIII", 0, 1, 2, len(frame), len(frame)) + frame + bytes(-len(frame) % 4)
    data = block(0x0A0D0D0A, head + text(2, b"acme hardware") + text(1, b"acme comment") + bytes(4))
    data += block(1, link + options)
    data += block(
        4, struct.pack("<HH", 1, 14) + ipaddress.IPv4Address(HOSTS[0]).packed + b"acme-host\0" + bytes(6)
    )
    data += block(10, struct.pack("<II", 0x544C534B, 12) + b"CLIENT_RANDO")
    data += block(
        6,
        packet
        + text(1, b"acme comment")
        + text(2, b"\x01\0\0\0")
        + text(4, struct.pack("<Q", 17))
        + bytes(4),
    )
    data += block(0xBAD, b"acme" * 4)
    data += block(
        5, struct.pack("<III", 0, 1, 2) + text(5, struct.pack("<Q", 23)) + text(1, b"acme comment") + bytes(4)
    )
    path = tmp_path / "told.pcapng"
    path.write_bytes(data)
    target = anonymised(path, tmp_path)
    shown = target.read_bytes()
    assert b"acme" not in shown.lower()
    assert b"CLIENT" not in shown
    assert b"203.0.113" not in shown
    capture = decode_capture(target, name="x", sha256="", packets_path=None)
    [point] = capture.vantage_points
    assert point.dropped_by_capture == 23
    assert point.time_resolution_ns == 1
    assert point.capture_filter == f"host {PSEUDONYMS.address_text(HOSTS[2])} and port 80"
    assert point.first_ns == (1 << 32) + 2


def test_the_same_key_makes_the_same_file_and_another_key_another(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    frame = bytes(ether(IP(src=HOSTS[0], dst=HOSTS[2]) / TCP() / b"x"))
    path.write_bytes(pcap([(1, frame)], link_type=1))
    made = []
    for key in (b"a" * 32, b"a" * 32, b"b" * 32):
        made.append(anonymised(path, tmp_path, Pseudonyms(key)).read_bytes())
    assert made[0] == made[1] != made[2]


def test_a_merged_file_stays_one(tmp_path: Path) -> None:
    """Who captured is gone, but not that several machines did."""
    merged = section_block(merged=True) + b"".join(map(interface, ("eth0", "ens5")))
    path = tmp_path / "merged.pcapng"
    path.write_bytes(merged + b"".join(enhanced(n, n, tcp(2)) for n in range(2)))
    for each in (path, anonymised(path, tmp_path)):
        found = decode(each.read_bytes(), tmp_path)
        assert [point.machine for point in found.vantage_points] == [0, 1]

"""Captures whose names do what they can to be read where they should not: written by scapy, with the texts that are in
them gathered from the packets themselves."""

from __future__ import annotations

import ipaddress
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scapy.layers.dhcp import BOOTP, DHCP
from scapy.layers.dns import DNS, DNSQR, DNSRR
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from scapy.utils import PcapReader

NAMES = (
    "Ann's printer (2nd floor)._ipp._tcp.local",
    "Käthe Müller [laptop], kitchen.local",
    '"quoted" <b>bold</b> & co.example.test',
    "\u202egnp.exe\u202c.evil.test",
    "pack.et",
    "xn--bcher-kva.example",
    "4421337",
    "10-77-3-9.secret-ns.pod.cluster.local",
    "a" * 60 + "." + "b" * 60 + "." + "c" * 60 + ".long.test",
    "payroll-db.prod.svc.cluster.local",
    "[bracketed], comma; semi|pipe.test",
    "ip-10-77-4-20.ec2.internal",
    "9.3.77.10.in-addr.arpa",
    "fd77-12--beef.secret-ns.pod.cluster.local",
)
HOSTS = ("intranet.acme.test:8080", "Weird(Host),x.acme.test")
PATHS = ("/salaries(2026),q3/list?who=ann", "/v1/[patients]/77")
AGENTS = ("AcmeBot", "Acme Agent/1.0 (bob's laptop)")
SNI = "vault.acme-internal.test"
MACHINE = "ANNS-MACBOOK"
INTERFACE, COMMENT = "Ann's Wi-Fi (5 GHz)", "captured at Jane Roe's desk"
CLIENT, SERVER, RESOLVER, SIX = "10.77.3.9", "10.77.4.20", "10.77.0.53", "fd77:12::beef"
FILE, DUMP = "acme (payroll), node \u202e7.pcapng", "acme dump, conntrack -S (before).txt"


@dataclass(frozen=True)
class Written:
    """Files by name, and every text in them that nobody else may read."""

    files: dict[str, bytes]
    private: frozenset[str]


def hostile() -> Written:
    """One capture and one dump."""
    packets = sorted(_packets(), key=lambda pair: pair[0])
    capture = pcapng(packets, INTERFACE, COMMENT)
    dump = b"cpu=0   \tfound=1 invalid=0 insert_failed=3 drop=3\n"
    words = {*HOSTS, *PATHS, *AGENTS, SNI, MACHINE, INTERFACE, COMMENT, FILE, DUMP, "acme dump"}
    return Written(
        {FILE: capture, DUMP: dump}, frozenset(words | set(NAMES) | texts_of(p for _, p in packets))
    )


def texts_of(packets: Iterator[Packet]) -> set[str]:
    """Addresses in every spelling, hardware addresses, and names that were asked for."""
    found: set[str] = set()
    for packet in packets:
        if Ether in packet:
            found |= {packet[Ether].src, packet[Ether].dst}
        if IP in packet:
            found |= spellings(packet[IP].src) | spellings(packet[IP].dst)
        if IPv6 in packet:
            found |= spellings(packet[IPv6].src) | spellings(packet[IPv6].dst)
        if DNSQR in packet:
            found.add(bytes(packet[DNSQR].qname).decode("utf-8", "replace").rstrip("."))
        if Raw in packet:
            found |= _of_http(bytes(packet[Raw].load))
    return found


def _of_http(load: bytes) -> set[str]:
    asked = re.match(rb"[A-Z]+ (/\S+) HTTP", load)
    fields = re.findall(rb"(?im)^(?:host|user-agent|x-amzn-requestid): *([^\r\n]+)", load)
    found = {each.decode("latin-1") for each in ([asked[1]] if asked else []) + fields}
    return {each for each in found if not each.startswith("169.254.169.254")}  # means the same everywhere


def spellings(address: str) -> set[str]:
    """How an address may be written."""
    parsed = ipaddress.ip_address(address)
    if parsed.is_multicast or parsed.is_loopback or parsed.is_link_local or int(parsed) == 0:
        return set()
    if isinstance(parsed, ipaddress.IPv6Address):
        return {str(parsed), parsed.exploded, parsed.packed.hex(), str(parsed).replace(":", "-")}
    if parsed == ipaddress.IPv4Address("255.255.255.255"):
        return set()
    four = parsed.packed
    backwards = str(ipaddress.IPv4Address(four[::-1]))
    return {address, address.replace(".", "-"), four.hex(), four[::-1].hex(), f"::ffff:{address}", backwards}


def packets_of(path: Path) -> Iterator[Packet]:
    """Of a capture of Ethernet frames."""

    with PcapReader(str(path)) as reader:
        yield from reader


Timed = tuple[float, Packet]


def _packets() -> Iterator[Timed]:
    yield from _lookups()
    yield from _requests()
    yield from _stalls()
    hello = _tcp(CLIENT, SERVER, 41000, 443, "PA", 1) / Raw(_client_hello(SNI.encode()))
    yield 30.0, hello
    dhcp = DHCP(options=[("message-type", "request"), ("hostname", MACHINE.encode()), "end"])
    yield 31.0, _frame() / IP(src=CLIENT, dst="255.255.255.255") / UDP(sport=68, dport=67) / BOOTP() / dhcp


def _frame() -> Packet:
    return Ether(src="02:ac:3e:00:00:01", dst="02:ac:3e:00:00:02")


def _lookups() -> Iterator[Timed]:
    """Each is asked twice, 2 s apart, and answered late or never."""
    for number, name in enumerate(NAMES):
        sport, at = 50000 + number, 0.1 * number
        asked = DNS(id=number + 1, rd=1, qd=_question(name))
        for again in (0.0, 2.0):
            yield at + again, _frame() / IP(src=CLIENT, dst=RESOLVER) / UDP(sport=sport, dport=53) / asked
        if number % 2:
            reply = DNS(id=number + 1, qr=1, qd=_question(name), an=DNSRR(rrname="x.test", rdata=SERVER))
            yield at + 2.5, _frame() / IP(src=RESOLVER, dst=CLIENT) / UDP(sport=53, dport=sport) / reply
    six = DNS(id=99, rd=1, qd=_question(NAMES[0]))
    yield 3.9, _frame() / IPv6(src=SIX, dst="fd77:12::53") / UDP(sport=5353, dport=53) / six


def _question(name: str) -> DNSQR:
    return DNSQR(qname=name.encode() + b".")


def _requests() -> Iterator[Timed]:
    for number in range(4):
        at, sport = 5.0 + number, 42000 + number
        head = (
            f"GET {PATHS[number % 2]} HTTP/1.1\r\nHost: {HOSTS[number % 2]}\r\nUser-Agent: {AGENTS[number % 2]}\r\n"
            "\r\n"
        ).encode()
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        yield at, _tcp(CLIENT, SERVER, sport, 8080, "S", 100)
        yield at + 0.001, _tcp(SERVER, CLIENT, 8080, sport, "SA", 500, 101)
        yield at + 0.002, _tcp(CLIENT, SERVER, sport, 8080, "A", 101, 501)
        yield at + 0.003, _tcp(CLIENT, SERVER, sport, 8080, "PA", 101, 501) / Raw(head)
        yield at + 0.4, _tcp(SERVER, CLIENT, 8080, sport, "PA", 501, 101 + len(head)) / Raw(answer)


def _stalls() -> Iterator[Timed]:
    """SYNs that are sent three times."""
    for number in range(6):
        for again in (0.0, 1.0, 3.0):
            yield 12.0 + 0.2 * number + again, _tcp(CLIENT, SERVER, 43000 + number, 9090, "S", 7000 + number)


def _tcp(source: str, target: str, sport: int, dport: int, flags: str, seq: int, ack: int = 0) -> Packet:
    segment = TCP(sport=sport, dport=dport, flags=flags, seq=seq, ack=ack, window=64240)
    return _frame() / IP(src=source, dst=target) / segment


def _client_hello(name: bytes) -> bytes:
    entry = b"\0" + struct.pack(">H", len(name)) + name
    listed = struct.pack(">H", len(entry)) + entry
    extension = struct.pack(">HH", 0, len(listed)) + listed
    body = b"\x03\x03" + bytes(32) + b"\0" + b"\0\x02\x13\x01" + b"\x01\0"
    body += struct.pack(">H", len(extension)) + extension
    shake = b"\x01" + len(body).to_bytes(3, "big") + body
    return b"\x16\x03\x01" + struct.pack(">H", len(shake)) + shake


def pcapng(packets: Sequence[Timed], interface: str, comment: str) -> bytes:
    """One section with one interface; a comment on the section and on its first packet."""
    said = _options((1, comment.encode()))
    section = _block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + said)
    described = _block(
        1, struct.pack("<HHI", 1, 0, 0) + _options((2, interface.encode()), (3, comment.encode()))
    )
    frames = []
    for number, (at, packet) in enumerate(packets):
        octets = bytes(packet)
        time_us = 1_790_000_000_000_000 + int(at * 1e6)
        head = struct.pack("<IIIII", 0, time_us >> 32, time_us & 0xFFFFFFFF, len(octets), len(octets))
        frames.append(_block(6, head + _padded(octets) + (said if number == 0 else b"")))
    return section + described + b"".join(frames)


def _options(*options: tuple[int, bytes]) -> bytes:
    return b"".join(struct.pack("<HH", code, len(text)) + _padded(text) for code, text in options) + bytes(4)


def _block(kind: int, body: bytes) -> bytes:
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length


def _padded(octets: bytes) -> bytes:
    return octets + bytes(-len(octets) % 4)

"""What a printed packet says behind its addresses, as the bytes behind the IP header."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from typing import Final

from workers.decode.printed.dns_lines import DnsLines
from workers.decode.printed.headers import (
    GRE,
    ICMP,
    ICMPV6,
    IPIP,
    TCP,
    UDP,
    IpShown,
    ip_packet,
    tcp_header,
    udp_header,
)
from workers.decode.printed.heads import Head, read_head
from workers.decode.printed.names import Names, split_end
from workers.decode.printed.options import tcpdump_options
from workers.decode.printed.sequences import Sequences

_ENDS = re.compile(r"\s*(?P<source>\S{1,255}) > (?P<destination>\S{1,255}?)(?::\s+|:?\s*$)")
_TCP = re.compile(
    r"(?:\[[^\]]{1,40}\]\s*)?Flags \[(?P<flags>[^\]]{0,9})\](?:, cksum 0x[0-9a-f]{1,4} \([^)]{1,60}\))?"
    r"(?:,? seq (?P<seq>\d{1,10})(?::(?P<end>\d{1,10}))?)?(?:,? ack (?P<ack>\d{1,10}))?(?:,? win (?P<win>\d{1,5}))?"
    r"(?:,? urg \d{1,5})?(?:,? options \[(?P<options>[^\]]{0,200})\]?)?(?:.{0,80}?,? length:? (?P<length>\d{1,9}))?"
    r"(?P<rest>.*)$",
    re.DOTALL,
)
_FLAGS: Final = {"F": 1, "S": 2, "R": 4, "P": 8, ".": 16, "U": 32, "E": 64, "W": 128, "e": 256}
_HTTP = re.compile(
    r"(?::\s*HTTP(?:, length: \d{1,9})?:?)?\s*:?\s*"
    r"(?P<line>(?:GET|POST|PUT|HEAD|DELETE|PATCH|OPTIONS|HTTP/1\.[01]) [^\t]{1,900})"
)
_CHECKSUM = re.compile(r"\[(?:bad udp cksum|udp sum ok|no cksum|udp|.{0,12}cksum)[^\]]{0,60}\]\s*")
_LENGTH = re.compile(r"\blength (\d{1,6})|UDP, bad length (\d{1,6})|\((\d{1,5})\)\s*$")
_ECHO = re.compile(r"ICMP6?,? ?echo (?P<what>request|reply), id (?P<id>\d{1,5}), seq (?P<seq>\d{1,5})")
_ERRORS: Final = (
    (re.compile(r"net(?:work)? \S{1,64} unreachable"), 3, 0),
    (re.compile(r"host \S{1,64} unreachable - admin prohibited|admin prohibited filter"), 3, 10),
    (re.compile(r"host \S{1,64} unreachable"), 3, 1),
    (re.compile(r"protocol \S{1,20} unreachable"), 3, 2),
    (re.compile(r"(?:tcp|udp) port \S{1,40} unreachable"), 3, 3),
    (re.compile(r"unreachable - need to frag"), 3, 4),
    (re.compile(r"time exceeded in-transit"), 11, 0),
    (re.compile(r"time exceeded|ip reassembly time exceeded"), 11, 1),
)
_ERRORS6: Final = (
    (re.compile(r"unreachable route"), 1, 0),
    (re.compile(r"unreachable prohibited"), 1, 1),
    (re.compile(r"unreachable address"), 1, 3),
    (re.compile(r"unreachable port"), 1, 4),
    (re.compile(r"packet too big"), 2, 0),
    (re.compile(r"time exceeded"), 3, 0),
)
_ABOUT = re.compile(r"(?P<address>\S{1,64}) (?:(?P<protocol>tcp|udp) port (?P<port>\S{1,40}) )?unreachable")
_MTU = re.compile(r"\(mtu (\d{1,5})\)|mtu (\d{1,5})")
_VXLAN = re.compile(r"(?:VXLAN|OTV), flags \[.{1,60}(?:vni|instance) (\d{1,8})")
_GENEVE = re.compile(
    r"Geneve, Flags \[[^\]]{0,8}\], vni (0x[0-9a-f]{1,6}|\d{1,8}).{0,300}?: (?=IP|ARP|[0-9a-f]{2}:)"
)
_INNER_ETHERNET: Final = b"\x02\x00\x00\x00\x00\x02\x02\x00\x00\x00\x00\x01"
_TOKENS: Final = {
    "icmp": ICMP,
    "tcp": TCP,
    "udp": UDP,
    "ESP(": 50,
    "AH(": 51,
    "igmp": 2,
    "VRRPv": 112,
    "OSPFv": 89,
    "SCTP": 132,
    "sctp": 132,
}
_KEPT: Final = 1_024
_PAIRS_MOST: Final = 10_000
"""Pairs of addresses whose last packet is kept."""


@dataclass(slots=True)
class Body:
    """What comes behind the IP header: the bytes that are known, and how many there were."""

    protocol: int
    data: bytes
    length: int
    complete: bool = True
    """Whether the text was enough for the header of the transport."""


@dataclass
class Bodies:
    """Reads the packets of one section."""

    names: Names = field(default_factory=Names)
    sequences: Sequences = field(default_factory=Sequences)
    dns: DnsLines = field(default_factory=DnsLines)
    sent: dict[bytes, bytes] = field(default_factory=dict)
    """The beginning of the last packet by its IPv4 addresses: what an ICMP error without ports is about."""

    def ip(self, head: Head, inner: str) -> tuple[bytes, int, bool] | None:
        """(bytes, original length, whether the transport is known) of an IP packet, None where it has no addresses."""
        ends = _ENDS.match(head.rest)
        if ends is None:
            return None
        text = head.rest[ends.end() :]
        wide = head.kind == "IP6"
        (host_a, port_a), (host_b, port_b) = split_end(ends["source"]), split_end(ends["destination"])
        whole_ends = text.startswith(("ICMP", "IP ", "IP6 ", "GRE", "ip-proto"))
        if whole_ends or port_a is None or port_b is None:
            host_a, host_b = (ends["source"], ends["destination"]) if whole_ends else (host_a, host_b)
        source, destination = self.names.address(host_a, wide=wide), self.names.address(host_b, wide=wide)
        body = self._body(
            head, text, (ends["source"], ends["destination"]), (port_a, port_b), inner, (source, destination)
        )
        packet = ip_packet(source, destination, body.protocol, body.data, body.length, head.shown)
        fixed = len(packet) - len(body.data)
        if body.protocol == TCP:
            self.remember(packet)
        return packet, max(head.ip_bytes or fixed + body.length, len(packet)), body.complete

    def remember(self, packet: bytes) -> None:
        """Keeps the headers of a TCP packet over IPv4."""
        if packet[0] >> 4 == 4 and (len(self.sent) < _PAIRS_MOST or packet[12:20] in self.sent):
            self.sent[packet[12:20]] = packet[:40]

    def _body(
        self, head: Head, text: str, ends: tuple[str, str], ports: tuple[int | None, int | None], inner: str,
        addresses: tuple[bytes, bytes],
    ) -> Body:  # fmt: skip
        tcp = _TCP.match(text) if "Flags [" in text[:60] else None
        if tcp is not None and ports[0] is not None and ports[1] is not None:
            return self._tcp(tcp, ends, (ports[0], ports[1]))
        if text.startswith("ICMP"):
            return _icmp(text, head.kind == "IP6", addresses, self)
        if text.startswith(("IP ", "IP6 ")):
            return self._nested(text)
        if text.startswith("GRE"):
            return self._gre(text)
        if ports[0] is None or ports[1] is None:
            return _opaque(head, text)
        return self._udp(text, ends, (ports[0], ports[1]), inner)

    def _tcp(self, found: re.Match[str], ends: tuple[str, str], ports: tuple[int, int]) -> Body:
        flags = (
            sum(_FLAGS.get(letter, 0) for letter in set(found["flags"])) if found["flags"] != "none" else 0
        )
        seq, ack = found["seq"], found["ack"]
        length = int(found["length"] or 0)
        if not found["length"] and found["end"]:
            length = (int(found["end"]) - int(seq)) & 0xFFFF
        numbers = self.sequences.absolute(
            *ends,
            flags,
            int(seq) & 0xFFFFFFFF if seq else None,
            int(ack) & 0xFFFFFFFF if ack else None,
            length,
        )
        options = tcpdump_options(found["options"], numbers[2]) if found["options"] else b""
        header = tcp_header(ports, numbers[:2], flags, int(found["win"] or 0), options)
        return Body(TCP, header + _first_line(found["rest"], length), len(header) + length)

    def _udp(self, text: str, ends: tuple[str, str], ports: tuple[int, int], inner: str) -> Body:
        text = _CHECKSUM.sub("", text, count=1)
        tunnel = self._tunnel(text, inner)
        if tunnel is not None:
            return Body(UDP, udp_header(ports, tunnel[1]) + tunnel[0], 8 + tunnel[1])
        client = ends[1] if ports[0] == 53 else ends[0]
        message = self.dns.read(text, client) if text[:1].isdigit() else None
        if message is not None:
            data, length = message[0], max(message[1], len(message[0]))
            return Body(UDP, udp_header(ports, length) + data, 8 + length)
        shown = _LENGTH.search(text)
        length = int(next((g for g in shown.groups() if g), 0)) if shown else 0
        return Body(UDP, udp_header(ports, length), 8 + length)

    def _tunnel(self, text: str, inner: str) -> tuple[bytes, int] | None:
        """VXLAN (RFC 7348) or Geneve (RFC 8926) with the packet inside."""
        vxlan, geneve = _VXLAN.search(text), _GENEVE.search(text)
        if vxlan is not None and inner:
            made = struct.pack(">II", 0x08000000, int(vxlan[1]) << 8 & 0xFFFFFFFF)
        elif geneve is not None:
            made = struct.pack(">HHI", 0, 0x6558, int(geneve[1], 0) << 8 & 0xFFFFFFFF)
            inner = text[geneve.end() :]
        else:
            return None
        head = read_head(inner)
        packet = self.ip(head, "") if head.kind in ("IP", "IP6") else None
        if packet is None:
            return None
        ether = struct.pack(">H", 0x86DD if head.kind == "IP6" else 0x0800)
        return made + _INNER_ETHERNET + ether + packet[0], len(made) + 14 + packet[1]

    def _nested(self, text: str) -> Body:
        head = read_head(text)
        packet = self.ip(head, "")
        if packet is None:
            return Body(IPIP, b"", 0, complete=False)
        return Body(41 if head.kind == "IP6" else IPIP, packet[0], packet[1])

    def _gre(self, text: str) -> Body:
        at = max(text.find(": IP "), text.find(": IP6 "))
        if at < 0:
            return Body(GRE, b"", 0, complete=False)
        head = read_head(text[at + 2 :])
        packet = self.ip(head, "")
        ether = 0x86DD if head.kind == "IP6" else 0x0800
        return (
            Body(GRE, struct.pack(">HH", 0, ether) + packet[0], 4 + packet[1])
            if packet
            else _opaque(head, text)
        )


def _first_line(rest: str, length: int) -> bytes:
    """The line of HTTP that is printed behind the length, as far as the payload went."""
    found = _HTTP.match(rest) if length and "HTTP" in rest[:400] else None
    if found is None:
        return b""
    lines = found["line"].rstrip().split("\n")
    text = "".join(f"{line.strip()}\r\n" for line in lines) + ("\r\n" if len(lines) > 1 else "")
    return text.encode("utf-8", "replace")[: min(length, _KEPT)]


def _icmp(text: str, wide: bool, addresses: tuple[bytes, bytes], bodies: Bodies) -> Body:
    protocol = ICMPV6 if wide else ICMP
    echo = _ECHO.match(text)
    shown = _LENGTH.search(text)
    length = int(next((g for g in shown.groups() if g), 8)) if shown else 8
    if echo is not None:
        what = echo["what"]
        kind = (128 if what == "request" else 129) if wide else (8 if what == "request" else 0)
        number, seq = int(echo["id"]), int(echo["seq"])
        return Body(
            protocol, struct.pack(">BBHHH", kind, 0, 0, number & 0xFFFF, seq & 0xFFFF), max(length, 8)
        )
    for pattern, kind, code in _ERRORS6 if wide else _ERRORS:
        if pattern.search(text):
            mtu = _MTU.search(text)
            size = int(mtu[1] or mtu[2]) if mtu else 0
            data = struct.pack(">BBHHH", kind, code, 0, 0, size & 0xFFFF) + _quoted(
                text, wide, addresses, bodies
            )
            return Body(protocol, data, max(length, len(data)))
    return Body(protocol, b"", length, complete=False)


def _quoted(text: str, wide: bool, addresses: tuple[bytes, bytes], bodies: Bodies) -> bytes:
    """The packet that an error is about: `-v` prints it, else its destination alone is known, and the last packet that
    went there is taken."""
    names = bodies.names
    _, _, behind = text.partition(" IP ") if not wide else text.partition(" IP6 ")
    head = read_head(("IP6 " if wide else "IP ") + behind.strip()) if " > " in behind else None
    if head is not None:
        packet = Bodies(names).ip(head, "")
        if packet is not None:
            return packet[0][:64]
    about = _ABOUT.search(text)
    if about is not None and about["port"] is None:
        return bodies.sent.get(addresses[1] + names.address(about["address"], wide=wide), b"")
    if about is None:
        return b""
    target = names.address(about["address"], wide=wide)
    port = split_end(f"{about['address']}.{about['port']}")[1] or 0
    protocol = TCP if about["protocol"] == "tcp" else UDP
    # Its source port is not printed: an error without it belongs to no connection.
    body = struct.pack(">HHI", 0, port, 0)
    return ip_packet(addresses[1], target, protocol, body, 8, IpShown())


def _opaque(head: Head, text: str) -> Body:
    """Another protocol, or a later fragment: its header is known, nothing behind it."""
    protocol = head.protocol
    if protocol is None:
        named = re.match(r"ip-proto-(\d{1,3})", text)
        protocol = (
            int(named[1]) if named else next((n for word, n in _TOKENS.items() if text.startswith(word)), 255)
        )
    shown = _LENGTH.search(text)
    length = int(next((g for g in shown.groups() if g), 0)) if shown else 0
    return Body(protocol & 0xFF, b"", length, complete=False)

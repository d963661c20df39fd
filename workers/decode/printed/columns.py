"""tshark's default columns as packets: number, time, source, destination, protocol, length, info.

1   0.000000 10.0.0.1 → 10.0.0.2 TCP 74 41358 → 80 [SYN] Seq=0 Win=64240 Len=0 MSS=1460 SACK_PERM WS=1024
"""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import dataclass, field
from typing import Final

from workers.decode.printed.dns_lines import DnsLines
from workers.decode.printed.headers import (
    ICMP,
    ICMPV6,
    NOTHING_SHOWN,
    TCP,
    UDP,
    ip_packet,
    tcp_header,
    udp_header,
)
from workers.decode.printed.lines import COLUMNS
from workers.decode.printed.names import Names
from workers.decode.printed.options import tshark_options

_LINE = re.compile(COLUMNS + r"\s{0,4}(?P<info>.*)$")
_TCP = re.compile(
    r"(?:\[[^\]]{1,60}\],? ?)*(?P<sport>\d{1,5})(?:\([^)]{0,40}\))? ?(?:→|->|>) ?(?P<dport>\d{1,5})(?:\([^)]{0,40}\))?"
    r" \[(?P<flags>[A-Z<>a-z, -]{0,60})\](?P<fields>.*)$"
)
_UDP = re.compile(r"(?P<sport>\d{1,5}) ?(?:→|->|>) ?(?P<dport>\d{1,5}) .{0,40}?Len=(?P<length>\d{1,6})")
_ECHO = re.compile(
    r"Echo \(ping\) (?P<what>request|reply)\s{1,4}id=0x(?P<id>[0-9a-f]{1,4}), seq=(?P<seq>\d{1,5})/"
)
_FIELD = re.compile(r"\b(Seq|Ack|Win|Len)=(\d{1,10})")
_FLAGS: Final = {
    "FIN": 1,
    "SYN": 2,
    "RST": 4,
    "PSH": 8,
    "ACK": 16,
    "URG": 32,
    "ECN": 64,
    "ECE": 64,
    "CWR": 128,
}
_UNREACHABLE: Final = {"Network": 0, "Host": 1, "Protocol": 2, "Port": 3, "Fragmentation": 4}
_M: Final = 0xFFFFFFFF


@dataclass
class _Flow:
    """What is known of one direction."""

    ports: tuple[int, int]
    generation: int = 0
    scale: int | None = None
    following: int = 0


@dataclass
class Columns:
    """Reads the lines of one section."""

    names: Names = field(default_factory=Names)
    dns: DnsLines = field(default_factory=DnsLines)
    _flows: dict[tuple[str, str, int, int], _Flow] = field(default_factory=dict)
    _last: dict[tuple[str, str], _Flow] = field(default_factory=dict)
    """The direction that two hosts used last: lines of an application print no ports."""

    def read(self, text: str) -> tuple[str, bytes, int, bool] | None:
        """(time as printed, IP packet, its original length, whether the transport is known); None for what is no IP."""
        line = _LINE.match(text)
        if line is None:
            return None
        wide = ":" in line["source"]
        if line["source"].count(":") == 5 and "." not in line["source"]:
            return None  # hardware addresses: ARP and others
        source = self.names.address(line["source"], wide=wide)
        destination = self.names.address(line["named"] or line["copied"], wide=wide)
        protocol, data, length, known = self._body(line)
        packet = ip_packet(source, destination, protocol, data, length, NOTHING_SHOWN)
        return line["clock"], packet, max(len(packet), len(packet) - len(data) + length), known

    def _body(self, line: re.Match[str]) -> tuple[int, bytes, int, bool]:
        info, hosts = line["info"], (line["source"], line["named"] or line["copied"])
        tcp = _TCP.match(info)
        if tcp is not None:
            return self._tcp(tcp, hosts)
        udp = _UDP.match(info)
        if udp is not None:
            length = int(udp["length"])
            return (
                UDP,
                udp_header((int(udp["sport"]) & 0xFFFF, int(udp["dport"]) & 0xFFFF), length),
                8 + length,
                True,
            )
        protocol = line["protocol"] or line["capitals"]
        if protocol.startswith(("DNS", "MDNS")):
            return self._dns(info, hosts)
        if protocol.startswith("ICMP"):
            return _icmp(info, ":" in line["source"])
        return self._application(info, hosts, int(line["length"]))

    def _tcp(self, found: re.Match[str], hosts: tuple[str, str]) -> tuple[int, bytes, int, bool]:
        ports = int(found["sport"]) & 0xFFFF, int(found["dport"]) & 0xFFFF
        flags = sum(_FLAGS.get(word.strip(), 0) for word in found["flags"].split(","))
        shown = {name: int(value) for name, value in _FIELD.findall(found["fields"])}
        mine, theirs = self._sides(hosts, ports)
        if flags & 0x12 == 2 and "numbers reused" in found[0]:
            mine.generation += 1
            theirs.generation = mine.generation
        bases = _base(hosts[0], ports[0], mine.generation), _base(hosts[1], ports[1], mine.generation)
        options = tshark_options(found["fields"], bases[1])
        window = shown.get("Win", 0)
        if flags & 2:
            scale = re.search(r"\bWS=(\d{1,6})", found["fields"])
            mine.scale = int(scale[1]).bit_length() - 1 if scale else None
        elif mine.scale is not None and theirs.scale is not None:
            window >>= max(0, mine.scale)
        length = shown.get("Len", 0)
        sequence = bases[0] + shown.get("Seq", mine.following) & _M
        acknowledged = bases[1] + shown["Ack"] & _M if flags & 16 and "Ack" in shown else 0
        mine.following = shown.get("Seq", mine.following) + length + (1 if flags & 3 else 0)
        header = tcp_header(ports, (sequence, acknowledged), flags, min(window, 65_535), options)
        return TCP, header, len(header) + length, True

    def _sides(self, hosts: tuple[str, str], ports: tuple[int, int]) -> tuple[_Flow, _Flow]:
        mine = self._flows.setdefault((*hosts, *ports), _Flow(ports))
        theirs = self._flows.setdefault((hosts[1], hosts[0], ports[1], ports[0]), _Flow((ports[1], ports[0])))
        self._last[hosts], self._last[hosts[1], hosts[0]] = mine, theirs
        return mine, theirs

    def _dns(self, info: str, hosts: tuple[str, str]) -> tuple[int, bytes, int, bool]:
        answer = "response" in info[:24]
        data = self.dns.read_column(info, hosts[1] if answer else hosts[0]) or b""
        # The client's port is not printed; the message's id stands for it, so that questions are distinguished.
        client = 1024 + (struct.unpack(">H", data[:2])[0] % 60_000 if len(data) > 2 else 0)
        ports = (53, client) if answer else (client, 53)
        return UDP, udp_header(ports, len(data)) + data, 8 + len(data), bool(data)

    def _application(self, info: str, hosts: tuple[str, str], frame: int) -> tuple[int, bytes, int, bool]:
        """A line of HTTP, TLS and the like: of the connection that the two hosts used last."""
        flow = self._last.get(hosts)
        if flow is None:
            return 255, b"", max(0, frame - 34), False
        length = max(1, frame - 66)
        base = _base(hosts[0], flow.ports[0], flow.generation)
        header = tcp_header(flow.ports, (base + flow.following & _M, 0), 8 | 16, 0xFFFF, b"")
        other = self._last.get((hosts[1], hosts[0]))
        if other is not None:
            known = _base(hosts[1], other.ports[0], flow.generation) + other.following & _M
            header = tcp_header(flow.ports, (base + flow.following & _M, known), 8 | 16, 0xFFFF, b"")
        flow.following += length
        http = re.match(r"(?:GET|POST|PUT|HEAD|DELETE|PATCH|OPTIONS|HTTP/1\.[01]) .{1,900}", info)
        hint = (http[0].strip().encode("utf-8", "replace") + b"\r\n")[:length] if http else b""
        return TCP, header + hint, len(header) + length, True


def _base(host: str, port: int, generation: int) -> int:
    """Stands for the initial sequence number, which is not printed."""
    return zlib.crc32(f"{host} {port} {generation}".encode())


def _icmp(info: str, wide: bool) -> tuple[int, bytes, int, bool]:
    protocol = ICMPV6 if wide else ICMP
    echo = _ECHO.match(info)
    if echo is not None:
        kind = (
            (128 if echo["what"] == "request" else 129) if wide else (8 if echo["what"] == "request" else 0)
        )
        return (
            protocol,
            struct.pack(">BBHHH", kind, 0, 0, int(echo["id"], 16), int(echo["seq"]) & 0xFFFF),
            64,
            True,
        )
    unreachable = re.match(r"Destination unreachable \((\w+)", info)
    if unreachable is not None and not wide:
        return protocol, struct.pack(">BBHI", 3, _UNREACHABLE.get(unreachable[1], 0), 0, 0), 36, True
    if info.startswith("Time-to-live exceeded") and not wide:
        return protocol, struct.pack(">BBHI", 11, 0, 0, 0), 36, True
    return protocol, b"", 8, False

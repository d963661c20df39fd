"""Frames of a capture as scapy reads them: a second reader that shares no line with the product's own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from scapy.config import conf
from scapy.layers.dns import DNS
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.utils import RawPcapNgReader, RawPcapReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scapy.packet import Packet

SYN, ACK, RST, FIN = 0x02, 0x10, 0x04, 0x01
_NS = 1_000_000_000
KEPT_CAPTURES = 12


@dataclass(frozen=True)
class Frame:
    """One frame, and when it was captured."""

    number: int
    time_ns: int
    packet: Packet

    @property
    def ends(self) -> tuple[str, str]:
        """Source and destination of its innermost IP header, with ports where it has some."""
        inner = self.packet
        while isinstance(nested := inner.payload.getlayer(IP) or inner.payload.getlayer(IPv6), IP | IPv6):
            inner = nested
        ports = inner.getlayer(TCP) or inner.getlayer(UDP)
        addresses = (inner.src, inner.dst) if isinstance(inner, IP | IPv6) else ("", "")
        if ports is None:
            return addresses
        return f"{addresses[0]}:{ports.sport}", f"{addresses[1]}:{ports.dport}"

    @property
    def tcp(self) -> TCP | None:
        """Its TCP header."""
        found = self.packet.getlayer(TCP)
        return found if isinstance(found, TCP) else None

    def is_tcp(self, set_: int, clear: int = 0) -> bool:
        """Whether it is TCP with these flags set, and those not."""
        tcp = self.tcp
        return tcp is not None and int(tcp.flags) & set_ == set_ and not int(tcp.flags) & clear

    @property
    def is_syn(self) -> bool:
        return self.is_tcp(SYN, ACK | RST)

    @property
    def payload_bytes(self) -> int:
        """TCP payload by the IP header's length, whatever the snap length."""
        tcp, ip = self.tcp, self.packet.getlayer(IP)
        if tcp is None or tcp.dataofs is None:
            return 0
        if ip is not None and ip.ihl is not None and ip.len is not None:
            return int(ip.len) - 4 * int(ip.ihl) - 4 * int(tcp.dataofs)
        v6 = self.packet.getlayer(IPv6)
        return int(v6.plen) - 4 * int(tcp.dataofs) if v6 is not None else 0

    @property
    def is_query(self) -> bool:
        """A DNS question."""
        dns = self.packet.getlayer(DNS)
        return dns is not None and int(dns.qr) == 0

    @property
    def attempt(self) -> tuple[str, str, int]:
        """What makes two SYNs the same attempt."""
        tcp = self.tcp
        return (*self.ends, int(tcp.seq) if tcp is not None else -1)


class Frames:
    """The frames of a file, dissected when they are asked for."""

    def __init__(self, path: Path) -> None:
        self._raw: list[tuple[int, int, int, bytes]] = []
        interfaces: dict[bytes, int] = {}
        with RawPcapReader(str(path)) as reader:
            is_ng = isinstance(reader, RawPcapNgReader)
            about: Any  # of another class for each of both formats
            for data, about in reader:
                if is_ng:
                    ticks = (about.tshigh << 32) | about.tslow
                    time_ns, link = ticks * _NS // about.tsresol, about.linktype
                    interface = interfaces.setdefault(about.ifname or b"", len(interfaces))
                else:
                    unit = 1 if reader.nano else 1_000
                    time_ns, link, interface = about.sec * _NS + about.usec * unit, reader.linktype, 0
                self._raw.append((time_ns, link, interface, data))
        self._known: dict[int, Frame] = {}

    def __len__(self) -> int:
        return len(self._raw)

    def raw(self) -> Iterator[tuple[int, int, int, bytes]]:
        """(time in ns, link type, interface of a pcapng, bytes) of each frame."""
        return iter(self._raw)

    def holding(self, part: bytes, longest: int = 1 << 16) -> Iterator[Frame]:
        """Frames of at most so many bytes that hold these: the few that are worth dissecting."""
        for number, (*_, data) in enumerate(self._raw, 1):
            if len(data) <= longest and part in data:
                yield self[number]

    def __getitem__(self, number: int) -> Frame:
        """By its number in the file, from 1."""
        if number not in self._known:
            time_ns, link, _, data = self._raw[number - 1]
            layer = conf.l2types.num2layer.get(link, Ether)
            self._known[number] = Frame(number, time_ns, layer(data))
        return self._known[number]


@lru_cache(maxsize=KEPT_CAPTURES)
def frames_of(path: Path) -> Frames:
    """The capture, read once."""
    return Frames(path)

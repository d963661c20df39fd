"""Every TCP header and message of a capture, read from the bytes: for what is counted over a whole file."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from workers.tests.lab.independent import frames_of

if TYPE_CHECKING:
    from pathlib import Path

TCP, UDP, ICMP = 6, 17, 1
SYN, ACK, RST, FIN = 0x02, 0x10, 0x04, 0x01
_ETHERTYPE_AT = {1: 12, 113: 14, 276: 0}
_HEADER_BYTES = {1: 14, 113: 16, 276: 20, 101: 0}
_IPV4, _VLAN = 0x0800, (0x8100, 0x88A8)
_TIMESTAMP, _NOP = 8, 1
KEPT_CAPTURES = 6


class Header(NamedTuple):
    """One IPv4 packet. Ends are ``address:port``; of ICMP the ports are identifier and sequence number."""

    number: int
    """Of the frame, from 1."""
    time_ns: int
    protocol: int
    source: str
    target: str
    flags: int
    seq: int
    ack: int
    payload_bytes: int
    """Payload by the IP header's length."""
    id: int
    interface: int
    """Of Linux cooked captures and, in the order of appearance, of pcapng files; 0 otherwise."""
    timestamp: int
    """TSval; -1 without."""
    payload: bytes
    """What of it was captured."""

    @property
    def is_syn(self) -> bool:
        return self.protocol == TCP and self.flags & (SYN | ACK | RST) == SYN

    @property
    def is_syn_ack(self) -> bool:
        return self.protocol == TCP and self.flags & (SYN | ACK | RST) == SYN | ACK

    @property
    def attempt(self) -> tuple[str, str, int]:
        """What its retransmissions have in common."""
        return self.source, self.target, self.seq


@lru_cache(maxsize=KEPT_CAPTURES)
def headers_of(path: Path) -> tuple[Header, ...]:
    """All IPv4 packets of a capture, in the order of the file."""
    rows = enumerate(frames_of(path).raw(), 1)
    found = (_header(number, *row) for number, row in rows)
    return tuple(header for header in found if header is not None)


def _header(number: int, time_ns: int, link: int, interface: int, frame: bytes) -> Header | None:
    start = _HEADER_BYTES[link]
    if link != 101:
        if len(frame) < start:
            return None
        kind = int.from_bytes(frame[_ETHERTYPE_AT[link] : _ETHERTYPE_AT[link] + 2])
        while kind in _VLAN:
            kind, start = int.from_bytes(frame[start + 2 : start + 4]), start + 4
        if kind != _IPV4:
            return None
    interface = int.from_bytes(frame[4:8]) if link == 276 else interface
    return _ip(number, time_ns, interface, frame[start:])


def _ip(number: int, time_ns: int, interface: int, packet: bytes) -> Header | None:
    if len(packet) < 28 or packet[6] & 0x1F or packet[7]:
        return None
    head, length, protocol = 4 * (packet[0] & 15), int.from_bytes(packet[2:4]), packet[9]
    source, target = (".".join(map(str, packet[a : a + 4])) for a in (12, 16))
    body, rest = packet[head:length], length - head
    one, other = struct.unpack_from(">HH", body, 4 if protocol == ICMP else 0)
    flags = seq = ack = 0
    timestamp, skip = -1, 8
    if protocol == TCP:
        if len(body) < 20:
            return None
        seq, ack, offset, flags = struct.unpack_from(">IIBB", body, 4)
        skip = offset // 16 * 4
        timestamp = _timestamp(body[20:skip])
    elif protocol == ICMP:
        flags = body[0]
    ip_id = int.from_bytes(packet[4:6])
    return Header(
        number, time_ns, protocol, f"{source}:{one}", f"{target}:{other}", flags, seq, ack, rest - skip, ip_id,
        interface, timestamp, body[skip:],
    )  # fmt: skip


def _timestamp(options: bytes) -> int:
    at = 0
    while at + 1 < len(options):
        if options[at] == _TIMESTAMP and at + 6 <= len(options):
            return int.from_bytes(options[at + 2 : at + 6])
        at += 1 if options[at] == _NOP else max(options[at + 1], 2)
    return -1

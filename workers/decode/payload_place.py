"""Where the payload of a decoded packet begins in its frame: by the header that the packet table describes."""

from __future__ import annotations

import mmap
import struct
from typing import Final, NamedTuple

from backend.forensics.packets import ICMP, ICMPV6, NO_CONNECTION, TCP, UDP

_ARP: Final = b"\x00\x01\x08\x00\x06\x04"
_ARP_BYTES: Final = 64
_LINK_BYTES: Final = 14
_V4_PREFIX: Final = 0xFFFF << 32
_V6_FRAGMENT, _V6_BYTES, _FRAGMENT_BYTES = 44, 40, 8
_TCP_BYTES, _PORTS_BYTES, _ICMP_BYTES, _UDP_BYTES = 20, 8, 8, 8


class PacketRow(NamedTuple):
    """Columns of the packet table, by their names."""

    frame: int
    connection: int
    protocol: int
    ip_version: int
    source_high: int
    source_low: int
    destination_high: int
    destination_low: int
    source_port: int
    destination_port: int
    sequence: int
    acknowledgement: int


COLUMNS: Final = PacketRow._fields


def payload_place(data: mmap.mmap | bytes, begin: int, end: int, row: PacketRow) -> int:
    """The first byte behind the headers of the packet in data[begin:end]. Where they are not found, it is near the
    beginning of the frame: what is not understood is payload."""
    if row.ip_version == 0:
        is_arp = data.find(_ARP, begin, min(end, begin + _ARP_BYTES)) >= 0
        return end if is_arp else min(end, begin + _LINK_BYTES)
    if row.protocol == TCP:
        head = struct.pack("!HHII", row.source_port, row.destination_port, row.sequence, row.acknowledgement)
        at = data.find(head, begin, end) if row.connection != NO_CONNECTION else -1
        if at >= 0:
            return min(end, _behind_tcp(data, at, end))
    at = _behind_ip(data, begin, end, row)
    if at < 0:
        return begin
    if row.protocol == UDP and data[at : at + 4] == struct.pack("!HH", row.source_port, row.destination_port):
        at += _UDP_BYTES
    if row.protocol in (ICMP, ICMPV6):
        at = _behind_quote(data, at + _ICMP_BYTES, end)
    return min(end, at)


def _behind_tcp(data: mmap.mmap | bytes, at: int, end: int) -> int:
    """`at`: a TCP header, of which the snap length may have left a part."""
    if at + 13 > end:
        return end
    return at + max(_TCP_BYTES, 4 * (data[at + 12] >> 4))


def _behind_ip(data: mmap.mmap | bytes, begin: int, end: int, row: PacketRow) -> int:
    """The end of the packet's IP header, by its addresses; -1 where they are not in the frame."""
    if row.ip_version == 4:
        pair = struct.pack("!II", row.source_low & 0xFFFFFFFF, row.destination_low & 0xFFFFFFFF)
        at = data.find(pair, begin, end) - 12
        return at + max(20, 4 * (data[at] & 15)) if at >= begin else -1
    pair = struct.pack("!QQQQ", row.source_high, row.source_low, row.destination_high, row.destination_low)
    at = data.find(pair, begin, end) - 8
    if at < begin:
        return -1
    return at + _V6_BYTES + (_FRAGMENT_BYTES if data[at + 6] == _V6_FRAGMENT else 0)


def _behind_quote(data: mmap.mmap | bytes, at: int, end: int) -> int:
    """Behind the headers of a packet that an ICMP error quotes; `at` itself where there is none."""
    version = data[at] >> 4 if at < end else 0
    if version == 4 and at + 20 <= end:
        later = (data[at + 6] & 0x1F) | data[at + 7]
        inner, protocol = at + max(20, 4 * (data[at] & 15)), data[at + 9]
        return inner if later else inner + (_TCP_BYTES if protocol == TCP else _PORTS_BYTES)
    if version == 6 and at + _V6_BYTES <= end:
        return at + _V6_BYTES + (_TCP_BYTES if data[at + 6] == TCP else 0)
    return at

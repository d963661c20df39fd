"""Headers of Ethernet, Linux cooked captures, IP, TCP and UDP as bytes. Checksums, which no text shows, are 0."""

from __future__ import annotations

import struct
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from typing import Final

ETHERNET, RAW_IP, COOKED = 1, 101, 113
"""Link types (tcpdump.org/linktypes.html)."""
_IPV4: Final = struct.Struct(">BBHHHBBH4s4s")
_IPV6: Final = struct.Struct(">IHBB16s16s")
_TCP: Final = struct.Struct(">HHIIBBHHH")
_IPV4_TCP: Final = struct.Struct(">BBHHHBBH4s4sHHIIBBHHH")
_UDP: Final = struct.Struct(">HHHH")
_COOKED: Final = struct.Struct(">HHH8sH")
_DIRECTIONS: Final = {"In": 0, "B": 1, "M": 2, "P": 3, "Out": 4}
"""Packet types of packet(7); `P` is a packet for another host, seen in promiscuous mode."""

TCP, UDP, ICMP, ICMPV6, IPIP, GRE = 6, 17, 1, 58, 4, 47


@lru_cache(maxsize=65_536)
def packed_address(text: str) -> bytes | None:
    """4 or 16 bytes, or None for a name."""
    try:
        return IPv6Address(text.partition("%")[0]).packed if ":" in text else IPv4Address(text).packed
    except ValueError:
        return None


def ip_packet(
    source: bytes, destination: bytes, protocol: int, body: bytes, length: int, shown: IpShown
) -> bytes:
    """IPv4 or IPv6 by the length of the addresses; `length` is what the packet had behind the IP header."""
    if len(source) == 16:
        first = 6 << 28 | (shown.tos & 0xFF) << 20 | shown.flow_label & 0xFFFFF
        return _IPV6.pack(first, length & 0xFFFF, protocol, shown.ttl, source, destination) + body
    total = 20 + length
    return (
        _IPV4.pack(
            0x45, shown.tos, total if total < 65_536 else 0, shown.identification, shown.fragment, shown.ttl,
            protocol, 0, source, destination,
        )
        + body
    )  # fmt: skip


class IpShown:
    """What of an IP header a text shows; 0 where it does not."""

    __slots__ = ("flow_label", "fragment", "identification", "tos", "ttl")

    def __init__(
        self, ttl: int = 0, identification: int = 0, fragment: int = 0, tos: int = 0, label: int = 0
    ) -> None:
        self.ttl, self.identification, self.fragment = ttl & 0xFF, identification & 0xFFFF, fragment & 0xFFFF
        self.tos, self.flow_label = tos & 0xFF, label


NOTHING_SHOWN: Final = IpShown()


def tcp_header(
    ports: tuple[int, int], numbers: tuple[int, int], flags: int, window: int, options: bytes
) -> bytes:
    """A TCP header; `numbers` are sequence and acknowledgement."""
    offset = (5 + len(options) // 4) << 4 | flags >> 8 & 1
    return _TCP.pack(*ports, *numbers, offset, flags & 0xFF, window & 0xFFFF, 0, 0) + options


def tcp_packet(
    addresses: tuple[bytes, bytes],
    ports: tuple[int, int],
    numbers: tuple[int, int],
    flags: int,
    window: int,
    options: bytes,
    length: int,
) -> bytes:
    """The headers of a TCP segment over IPv4 with a payload of this length, of which no byte is known."""
    whole = 40 + len(options) + length
    return (
        _IPV4_TCP.pack(
            0x45, 0, whole if whole < 65_536 else 0, 0, 0, 0, TCP, 0, *addresses, *ports, *numbers,
            (5 + len(options) // 4) << 4 | flags >> 8 & 1, flags & 0xFF, window & 0xFFFF, 0, 0,
        )
        + options
    )  # fmt: skip


def udp_header(ports: tuple[int, int], length: int) -> bytes:
    """A UDP header; `length` is that of the payload."""
    return _UDP.pack(*ports, 8 + length & 0xFFFF, 0)


def ethernet_header(source: str, destination: str, ether_type: int, vlans: tuple[int, ...] = ()) -> bytes:
    """With a tag for each VLAN, the outermost first."""
    tags = b"".join(struct.pack(">HH", 0x8100, vlan & 0xFFF) for vlan in vlans)
    return link_address(destination) + link_address(source) + tags + struct.pack(">H", ether_type)


def cooked_header(direction: str, sender: str, ether_type: int) -> bytes:
    """Linux cooked v1: direction and the sender's address."""
    return _COOKED.pack(
        _DIRECTIONS.get(direction, 0), 1, 6, link_address(sender).ljust(8, b"\x00"), ether_type
    )


@lru_cache(maxsize=65_536)
def link_address(text: str) -> bytes:
    """Six bytes; zeros where the text shows none."""
    if text == "Broadcast":
        return b"\xff" * 6
    parts = text.split(":")
    if len(parts) != 6:
        return b"\x00" * 6
    try:
        return bytes(int(part, 16) & 0xFF for part in parts)
    except ValueError:
        return b"\x00" * 6

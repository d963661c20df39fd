"""Names in words of what the loop could not decode."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from workers.decode.loop.records import (
    BAD_HEADER,
    CUT_EXTENSION,
    CUT_LINK,
    CUT_NETWORK,
    CUT_TRANSPORT,
    CUT_TUNNEL,
    ENCRYPTED_WIRELESS,
    LATER_FRAGMENT,
    LLC,
    MAX_DEPTH,
    NOT_A_NETWORK,
    OPAQUE_ESP,
    OPAQUE_WIREGUARD,
    PPP_CONTROL,
    PROTOCOL_BASE,
    REASON_BASE,
    TOO_DEEP,
    WIRELESS_CONTROL,
)

LINK_TYPE_NAMES: Final = {
    0: "BSD loopback", 1: "Ethernet", 6: "Token Ring", 9: "PPP", 10: "FDDI", 12: "raw IP", 50: "PPP in HDLC",
    51: "PPPoE", 101: "raw IP", 104: "Cisco HDLC", 105: "802.11", 107: "Frame Relay", 108: "OpenBSD loopback",
    109: "IPsec log", 113: "Linux cooked v1", 117: "pf log", 119: "802.11 Prism", 127: "802.11 radiotap",
    147: "user 0", 163: "802.11 AVS", 187: "Bluetooth H4", 189: "USB", 192: "PPI", 195: "802.15.4",
    201: "Bluetooth H4", 204: "PPP with direction", 220: "USB (Linux)", 227: "SocketCAN",
    228: "raw IPv4", 229: "raw IPv6", 239: "NFLOG", 166: "PPP of pppd",
    240: "netANALYZER", 249: "USBPcap", 253: "Netlink", 276: "Linux cooked v2",
}  # fmt: skip
SNOOP_LINKS: Final = 0x10000
"""Added to a datalink number of snoop that has no LINKTYPE_ number."""
_ETHER_TYPES: Final = {
    0x0806: "ARP", 0x8035: "RARP", 0x8847: "MPLS", 0x8848: "MPLS", 0x8863: "PPPoE discovery", 0x8864: "PPPoE",
    0x888E: "802.1X", 0x88CC: "LLDP", 0x8809: "LACP", 0x88F7: "PTP", 0x88BE: "ERSPAN", 0x88E5: "MACsec",
    0x894F: "NSH", 0x8808: "Ethernet flow control", 0x6558: "bridged Ethernet",
}  # fmt: skip
_PROTOCOLS: Final = {
    0: "IPv6 hop-by-hop options", 2: "IGMP", 4: "IPv4 in IP", 41: "IPv6 in IP", 47: "GRE", 50: "ESP (encrypted)",
    51: "AH", 89: "OSPF", 103: "PIM", 112: "VRRP", 132: "SCTP", 33: "DCCP", 46: "RSVP", 94: "IP in IP",
    59: "IPv6 without payload", 97: "EtherIP", 115: "L2TP",
}  # fmt: skip
_REASONS: Final = {
    CUT_LINK: "cut short in the link header",
    CUT_NETWORK: "cut short in the IP header",
    CUT_TRANSPORT: "cut short in the transport header",
    CUT_EXTENSION: "cut short in the IP header",
    CUT_TUNNEL: "cut short in a tunnel header",
    LATER_FRAGMENT: "fragment without the transport header, which no other fragment brought",
    BAD_HEADER: "malformed IP header",
    NOT_A_NETWORK: "no network packet",
    LLC: "802.3 LLC",
    TOO_DEEP: f"wrapped in more than {MAX_DEPTH} layers",
    ENCRYPTED_WIRELESS: "encrypted 802.11",
    WIRELESS_CONTROL: "802.11 management, control and empty data frames",
    OPAQUE_WIREGUARD: "WireGuard (encrypted)",
    OPAQUE_ESP: "ESP in UDP (encrypted)",
    PPP_CONTROL: "PPP that carries no IP",
}


def link_type_name(link_type: int) -> str:
    """``Ethernet``, ``link type 333``, or ``snoop datalink 26``."""
    if link_type >= SNOOP_LINKS:
        return f"snoop datalink {link_type - SNOOP_LINKS}"
    return LINK_TYPE_NAMES.get(link_type, f"link type {link_type}")


def _name(index: int) -> str:
    if index >= REASON_BASE:
        return _REASONS[index]
    if index >= PROTOCOL_BASE:
        number = index - PROTOCOL_BASE
        return _PROTOCOLS.get(number, f"IP protocol {number}")
    return _ETHER_TYPES.get(index, f"EtherType 0x{index:04x}")


def undecoded_by_name(counts: NDArray[np.int64]) -> dict[str, int]:
    """Frames not decoded to a transport header, by the reason in words, most frequent first."""
    named: dict[str, int] = {}
    for index in np.flatnonzero(counts):
        name = _name(int(index))
        named[name] = named.get(name, 0) + int(counts[index])
    return dict(sorted(named.items(), key=lambda pair: (-pair[1], pair[0])))

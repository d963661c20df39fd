"""Link-layer headers: where the network header begins, and which it is.

Readers return (EtherType or reason code, offset of what that header carries).
"""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from backend.forensics.packets import HINT_INCOMING, HINT_OUTGOING
from backend.forensics.tunnels import VLAN
from workers.decode.loop.compiler import compiled, together
from workers.decode.loop.nflog import nflog
from workers.decode.loop.octets import Buffer, big16, big32, little32
from workers.decode.loop.paths import push
from workers.decode.loop.ppp import cisco_hdlc, ppp, ppp_with_direction, pppoe
from workers.decode.loop.records import (
    CUT_LINK,
    IPV4,
    IPV6,
    LINK_CISCO_HDLC,
    LINK_COOKED_1,
    LINK_COOKED_2,
    LINK_ETHERNET,
    LINK_NFLOG,
    LINK_PPP,
    LINK_PPP_DIRECTION,
    LINK_PPPOE,
    LINK_RADIOTAP,
    LINK_RAW_IP,
    LINK_WIRELESS,
    LLC,
    NO_INDEX,
    NOT_A_NETWORK,
    TOO_DEEP,
    Record,
)
from workers.decode.loop.snap import llc
from workers.decode.loop.wireless import radiotap, wireless

_OUTGOING = 4
_NETLINK = 824
_COOKED_LLC = 4  # ETH_P_802_2


@compiled
def tagged(
    buffer: Buffer, at: int, end: int, ether_type: int, state: Record, layers: Record, row: Record
) -> tuple[int, int]:
    """Steps over VLAN tags (802.1Q, 802.1ad and the numbers used before it); priority tags have no id."""
    while ether_type in (0x8100, 0x88A8, 0x9100, 0x9200):
        if at + 4 > end:
            return CUT_LINK, at
        vlan = big16(buffer, at) & 0x0FFF
        if vlan != 0:
            if row.vlan == 0 and row.ip_version == 0:
                row.vlan = vlan
            if not push(state, layers, VLAN, vlan):
                return TOO_DEEP, at
        ether_type = big16(buffer, at + 2)
        at += 4
    if ether_type < 0x0600:
        return llc(buffer, at, end)
    return ether_type, at


@compiled
def ethernet(
    buffer: Buffer, at: int, end: int, state: Record, layers: Record, row: Record
) -> tuple[int, int]:
    """Ethernet II or 802.3 with LLC, and VLAN tags."""
    together()
    if at + 14 > end:
        return CUT_LINK, at
    ether_type = big16(buffer, at + 12)
    if ether_type in (IPV4, IPV6):
        return ether_type, at + 14
    return tagged(buffer, at + 14, end, ether_type, state, layers, row)


@compiled
def _cooked(
    buffer: Buffer, at: int, end: int, version: int, state: Record, layers: Record, row: Record
) -> tuple[int, int]:
    """Linux cooked headers: 16 bytes, protocol last; version 2: 20 bytes, protocol first."""
    size = 16 if version == 1 else 20
    if at + size > end:
        return CUT_LINK, at
    if version == 1:
        packet_type, hardware, protocol = big16(buffer, at), big16(buffer, at + 2), big16(buffer, at + 14)
    else:
        packet_type, hardware, protocol = int(buffer[at + 10]), big16(buffer, at + 8), big16(buffer, at)
    row.direction_hint = HINT_OUTGOING if packet_type == _OUTGOING else HINT_INCOMING
    if hardware == _NETLINK:
        return NOT_A_NETWORK, at
    if protocol < 0x0600 and protocol != _COOKED_LLC:
        return LLC, at
    return tagged(buffer, at + size, end, protocol, state, layers, row)


@compiled
def _raw_ip(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    if at >= end:
        return CUT_LINK, at
    version = buffer[at] >> 4
    if version == 4:
        return IPV4, at
    if version == 6:
        return IPV6, at
    return NOT_A_NETWORK, at


@compiled
def _loopback(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    """BSD null and loop headers: an address family in the byte order of the machine that captured."""
    if at + 4 > end:
        return CUT_LINK, at
    family = little32(buffer, at)
    if family > 0xFFFF:
        family = big32(buffer, at)
    if family == 2:
        return IPV4, at + 4
    if family in (10, 24, 28, 30):  # Linux, the BSDs and macOS number IPv6 differently
        return IPV6, at + 4
    return NOT_A_NETWORK, at


@compiled
def kernel_interface(buffer: Buffer, at: int, end: int, link: int) -> int:
    """Interface index of a cooked v2 header, else NO_INDEX."""
    if link == LINK_COOKED_2 and at + 20 <= end:
        return big32(buffer, at + 4)
    return NO_INDEX


@compiled
def _less_usual(
    buffer: Buffer, at: int, end: int, link: int, state: Record, layers: Record, row: Record
) -> tuple[int, int]:
    if link == LINK_NFLOG:
        return nflog(buffer, at, end)
    if link == LINK_PPP:
        return ppp(buffer, at, end)
    if link == LINK_PPP_DIRECTION:
        return ppp_with_direction(buffer, at, end, row)
    if link == LINK_PPPOE:
        return pppoe(buffer, at, end, state, layers)
    if link == LINK_CISCO_HDLC:
        return cisco_hdlc(buffer, at, end)
    if link == LINK_RADIOTAP:
        return radiotap(buffer, at, end)
    return wireless(buffer, at, end, False)


@compiled
def network_header(
    buffer: Buffer, at: int, end: int, link: int, state: Record, layers: Record, row: Record
) -> tuple[int, int]:
    """What the frame carries; sets vlan and direction_hint of `row`, and the tags of its path."""
    together()
    if link == LINK_ETHERNET:
        return ethernet(buffer, at, end, state, layers, row)
    if link == LINK_COOKED_1:
        return _cooked(buffer, at, end, 1, state, layers, row)
    if link == LINK_COOKED_2:
        return _cooked(buffer, at, end, 2, state, layers, row)
    if link == LINK_RAW_IP:
        return _raw_ip(buffer, at, end)
    if link in (
        LINK_NFLOG,
        LINK_PPP,
        LINK_PPP_DIRECTION,
        LINK_PPPOE,
        LINK_CISCO_HDLC,
        LINK_RADIOTAP,
        LINK_WIRELESS,
    ):
        return _less_usual(buffer, at, end, link, state, layers, row)
    return _loopback(buffer, at, end)

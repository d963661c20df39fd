"""Link-layer headers: where the network header begins, and which it is."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from backend.forensics.packets import HINT_INCOMING, HINT_OUTGOING
from workers.decode.loop.compiler import compiled
from workers.decode.loop.octets import Buffer, big16, big32, little32
from workers.decode.loop.records import (
    CUT_LINK,
    LINK_COOKED_1,
    LINK_COOKED_2,
    LINK_ETHERNET,
    LINK_RAW_IP,
    LLC,
    NO_INDEX,
    NOT_A_NETWORK,
    Record,
)

IPV4 = 0x0800
IPV6 = 0x86DD
_OUTGOING = 4
_NETLINK = 824


@compiled
def _tagged(buffer: Buffer, at: int, end: int, ether_type: int, row: Record) -> tuple[int, int]:
    """Steps over VLAN tags; the outermost id is kept."""
    outermost = True
    while ether_type in (0x8100, 0x88A8, 0x9100):
        if at + 4 > end:
            return CUT_LINK, at
        if outermost:
            row.vlan = big16(buffer, at) & 0x0FFF
            outermost = False
        ether_type = big16(buffer, at + 2)
        at += 4
    if ether_type < 0x0600:
        return LLC, at
    return ether_type, at


@compiled
def _ethernet(buffer: Buffer, at: int, end: int, row: Record) -> tuple[int, int]:
    if at + 14 > end:
        return CUT_LINK, at
    return _tagged(buffer, at + 14, end, big16(buffer, at + 12), row)


@compiled
def _cooked(buffer: Buffer, at: int, end: int, version: int, row: Record) -> tuple[int, int]:
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
    return _tagged(buffer, at + size, end, protocol, row)


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
def network_header(buffer: Buffer, at: int, end: int, link: int, row: Record) -> tuple[int, int]:
    """(EtherType or reason code, offset of the network header); sets vlan and direction_hint of `row`."""
    if link == LINK_ETHERNET:
        return _ethernet(buffer, at, end, row)
    if link == LINK_COOKED_1:
        return _cooked(buffer, at, end, 1, row)
    if link == LINK_COOKED_2:
        return _cooked(buffer, at, end, 2, row)
    if link == LINK_RAW_IP:
        return _raw_ip(buffer, at, end)
    return _loopback(buffer, at, end)

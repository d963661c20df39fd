"""PPP (RFC 1661), in HDLC framing (RFC 1662), over Ethernet (RFC 2516); Cisco's HDLC."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.packets import HINT_INCOMING, HINT_OUTGOING
from backend.forensics.tunnels import PPPOE
from workers.decode.loop.compiler import compiled
from workers.decode.loop.octets import Buffer, big16
from workers.decode.loop.paths import push
from workers.decode.loop.records import CUT_LINK, IPV4, IPV6, MPLS_FRAME, PPP_CONTROL, TOO_DEEP, Record

_PPPOE_VERSION = 0x11


@compiled
def cisco_hdlc(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    """Address (unicast 0x0F, multicast 0x8F), control 0, EtherType."""
    if at + 4 > end:
        return CUT_LINK, at
    return big16(buffer, at + 2), at + 4


@compiled
def ppp(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    """Address and control may be left out, and the protocol number be one byte (RFC 1661 section 6)."""
    if at + 4 <= end and buffer[at] in (0x0F, 0x8F) and buffer[at + 1] == 0:
        return cisco_hdlc(buffer, at, end)
    if at + 2 <= end and buffer[at] == 0xFF and buffer[at + 1] == 0x03:
        at += 2
    if at + 2 > end:
        return CUT_LINK, at
    protocol = np.int64(buffer[at])
    size = 1
    if not protocol & 1:
        protocol = big16(buffer, at)
        size = 2
    if protocol == 0x0021:
        return IPV4, at + size
    if protocol == 0x0057:
        return IPV6, at + size
    if protocol in (0x0281, 0x0283):
        return MPLS_FRAME, at + size
    return PPP_CONTROL, at + size


@compiled
def ppp_with_direction(buffer: Buffer, at: int, end: int, row: Record) -> tuple[int, int]:
    """The first byte is 0 for received and another number for sent; pppd puts it in place of the address."""
    if at + 2 > end:
        return CUT_LINK, at
    row.direction_hint = HINT_OUTGOING if buffer[at] else HINT_INCOMING
    if buffer[at + 1] == 0x03:
        return ppp(buffer, at + 2, end)
    return ppp(buffer, at + 1, end)


@compiled
def pppoe(buffer: Buffer, at: int, end: int, state: Record, layers: Record) -> tuple[int, int]:
    """A session packet: version and type 1, code 0, session id, length, PPP protocol."""
    if at + 8 > end:
        return CUT_LINK, at
    if buffer[at] != _PPPOE_VERSION or buffer[at + 1] != 0:
        return PPP_CONTROL, at
    if not push(state, layers, PPPOE, big16(buffer, at + 2)):
        return TOO_DEEP, at
    return ppp(buffer, at + 6, end)

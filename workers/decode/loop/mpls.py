"""MPLS label stacks (RFC 3032), with IP or an Ethernet pseudo-wire (RFC 4448) below."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from backend.forensics.tunnels import MPLS
from workers.decode.loop.compiler import compiled
from workers.decode.loop.inside import NO, YES, leads_to_ip
from workers.decode.loop.octets import Buffer, big32
from workers.decode.loop.paths import push
from workers.decode.loop.records import BRIDGED, CUT_LINK, IPV4, IPV6, TOO_DEEP, Record

_MAX_LABELS = 16
_BOTTOM = 0x100
_ANY_ROOM = 1 << 20


@compiled
def _below(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    """Nothing in the stack shows what it carries: the first half byte does, unless it is a MAC address's."""
    if at >= end:
        return CUT_LINK, at
    first = buffer[at] >> 4
    if first == 4 and leads_to_ip(buffer, at, end, _ANY_ROOM, IPV4) != NO:
        return IPV4, at
    if first == 6 and leads_to_ip(buffer, at, end, _ANY_ROOM, IPV6) != NO:
        return IPV6, at
    if first == 0 and leads_to_ip(buffer, at, end, _ANY_ROOM, BRIDGED) != YES:
        return BRIDGED, at + 4  # a control word
    return BRIDGED, at


@compiled
def mpls(buffer: Buffer, at: int, end: int, state: Record, layers: Record) -> tuple[int, int]:
    """What is below the stack; of its labels the bottom one is kept, which names the service."""
    for _ in range(_MAX_LABELS):
        if at + 4 > end:
            return CUT_LINK, at
        entry = big32(buffer, at)
        at += 4
        if entry & _BOTTOM:
            if not push(state, layers, MPLS, entry >> 12):
                return TOO_DEEP, at
            return _below(buffer, at, end)
    return TOO_DEEP, at

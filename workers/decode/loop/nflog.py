"""What the netfilter log writes: a family and a list of attributes, one of which is the packet."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from workers.decode.loop.compiler import compiled
from workers.decode.loop.octets import Buffer, file16
from workers.decode.loop.records import CUT_LINK, IPV4, IPV6, NOT_A_NETWORK

_PAYLOAD = 9  # NFULA_PAYLOAD of linux/netfilter/nfnetlink_log.h
_MAX_ATTRIBUTES = 64


@compiled
def _is_big_endian(buffer: Buffer, at: int) -> bool:
    """Attributes are in the byte order of the machine that captured: no length reaches 256 in the wrong one."""
    return buffer[at] == 0 and buffer[at + 1] >= 4 and buffer[at + 2] == 0


@compiled
def _packet(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    """A payload may be nothing but a hardware header or a cut packet: its first half byte shows."""
    if at >= end:
        return CUT_LINK, at
    if buffer[at] >> 4 == 4:
        return IPV4, at
    if buffer[at] >> 4 == 6:
        return IPV6, at
    return NOT_A_NETWORK, at


@compiled
def nflog(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    """Family, version 0, group; then attributes of length, type and value, padded to four bytes."""
    if at + 8 > end:
        return CUT_LINK, at
    if buffer[at + 1] != 0:
        return NOT_A_NETWORK, at
    at += 4
    big = _is_big_endian(buffer, at)
    for _ in range(_MAX_ATTRIBUTES):
        if at + 4 > end:
            return CUT_LINK, at
        length = file16(buffer, at, big)
        if length < 4:
            return NOT_A_NETWORK, at
        if file16(buffer, at + 2, big) & 0x3FFF == _PAYLOAD:  # two bits are flags of netlink
            return _packet(buffer, at + 4, end)
        at += (length + 3) & ~3
    return NOT_A_NETWORK, at

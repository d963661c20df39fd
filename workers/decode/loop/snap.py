"""IEEE 802.2 LLC, with or without SNAP (RFC 1042)."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from workers.decode.loop.compiler import compiled
from workers.decode.loop.octets import Buffer, big16
from workers.decode.loop.records import CUT_LINK, IPV4, LLC

_SNAP, _IP, _UNNUMBERED = 0xAA, 0x06, 0x03


@compiled
def llc(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    """(EtherType, offset) behind SNAP or IP's own service access point; LLC for everything else."""
    if at + 3 > end:
        return CUT_LINK, at
    if buffer[at + 2] != _UNNUMBERED or buffer[at] != buffer[at + 1]:
        return LLC, at
    if buffer[at] == _IP:
        return IPV4, at + 3
    if buffer[at] != _SNAP:
        return LLC, at
    if at + 8 > end:
        return CUT_LINK, at
    # Encapsulated Ethernet, or the "bridge tunnel" of 802.1H; others number their protocols themselves.
    if big16(buffer, at + 3) != 0 or buffer[at + 5] not in (0x00, 0xF8):
        return LLC, at
    ether_type = big16(buffer, at + 6)
    return (ether_type if ether_type >= 0x0600 else LLC), at + 8

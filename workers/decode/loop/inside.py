"""Whether bytes are what a tunnel header promises: looks ahead to an IP header without writing anything."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from workers.decode.loop.compiler import compiled
from workers.decode.loop.octets import Buffer, big16
from workers.decode.loop.records import BRIDGED, IPV4, IPV6

NO, YES, CUT = 0, 1, -1
_MAX_TAGS = 4


@compiled
def _ipv4(buffer: Buffer, at: int, end: int, room: int) -> int:
    if at + 20 > end:
        return CUT
    header = (np.int64(buffer[at]) & 15) * 4
    total = big16(buffer, at + 2)
    if buffer[at] >> 4 != 4 or header < 20:
        return NO
    return YES if total == 0 or header <= total <= room else NO


@compiled
def _ipv6(buffer: Buffer, at: int, end: int, room: int) -> int:
    if at + 40 > end:
        return CUT
    return YES if buffer[at] >> 4 == 6 and big16(buffer, at + 4) + 40 <= room else NO


@compiled
def leads_to_ip(buffer: Buffer, at: int, end: int, room: int, ether_type: int) -> int:
    """YES, NO, or CUT when the captured bytes end before it can be determined. `room`: bytes by the outer lengths."""
    if ether_type == BRIDGED:
        if at + 14 > end:
            return CUT
        ether_type = big16(buffer, at + 12)
        at, room = at + 14, room - 14
        for _ in range(_MAX_TAGS):
            if ether_type not in (0x8100, 0x88A8):
                break
            if at + 4 > end:
                return CUT
            ether_type = big16(buffer, at + 2)
            at, room = at + 4, room - 4
    if ether_type == IPV4:
        return _ipv4(buffer, at, end, room)
    if ether_type == IPV6:
        return _ipv6(buffer, at, end, room)
    return NO

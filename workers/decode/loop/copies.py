"""The same packet twice at one vantage point (a mirror, a bridge and its port) is no retransmission."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.packets import ACK, FIN, RST, SYN
from workers.decode.loop.compiler import compiled, together
from workers.decode.loop.octets import after
from workers.decode.loop.records import ANNOUNCED_ACK, PRINTS_PER_SIDE, Record

_PRIME = 0x01000193
_COPY_UNITS = 48
"""50 ms in units of 2^20 ns: how late a copy may be when the packet has no IP ID or TSval to recognize it by."""


@compiled
def fingerprint(row: Record) -> int:
    """32 bits of what two sightings of one packet share (TTL and checksums may differ between them)."""
    together()
    value = (np.int64(row.sequence) * _PRIME) & 0xFFFFFFFF
    for part in (
        np.int64(row.acknowledgement),
        np.int64(row.timestamp_value),
        (np.int64(row.ip_id) << 12) | np.int64(row.tcp_flags),
        np.int64(row.payload_bytes),
    ):
        value = ((value ^ part) * _PRIME) & 0xFFFFFFFF
        value ^= value >> 15
    return value


@compiled
def _goes_on(side: Record, row: Record) -> bool:
    """Whether it sends or acknowledges something new: most packets do, and then they are no copies."""
    together()
    if not side.known or row.tcp_flags & (SYN | RST):
        return False
    end = (np.int64(row.sequence) + np.int64(row.payload_bytes)) & 0xFFFFFFFF
    if after(end, side.highest) > 0:
        return True
    is_announced = (side.announced & ANNOUNCED_ACK) != 0 and (row.tcp_flags & ACK) != 0
    return is_announced and after(row.acknowledgement, side.acked) > 0


@compiled
def _is_known(prints: Record, base: int, value: int, when: int, row: Record) -> bool:
    bounded = row.ip_id == 0 or row.timestamp_value == 0
    for i in range(base, base + PRINTS_PER_SIDE):
        if prints[i].print == value:
            apart = (when - np.int64(prints[i].when)) & 0xFFFFFFFF
            # A file of several interfaces may hold the later one first.
            is_near = apart <= _COPY_UNITS or apart >= 0x100000000 - _COPY_UNITS
            if prints[i].when != 0 and (not bounded or is_near):
                return True
    return False


@compiled
def is_copy(prints: Record, side_number: int, side: Record, row: Record) -> bool:
    """Whether this packet was seen before at this vantage point; remembers it otherwise."""
    together()
    value = fingerprint(row)
    when = (np.int64(row.time_ns) >> 20) & 0xFFFFFFFF
    base = side_number * PRINTS_PER_SIDE
    if not _goes_on(side, row):
        # Without IP ID nothing distinguishes a bare ACK from the next duplicate ACK.
        tellable = row.ip_id != 0 or row.payload_bytes > 0 or (row.tcp_flags & (SYN | FIN | RST)) != 0
        if tellable and _is_known(prints, base, value, when, row):
            return True
    slot = prints[base + side.next_print]
    slot.print = value
    slot.when = when
    side.next_print = (side.next_print + 1) % PRINTS_PER_SIDE
    return False


@compiled
def forget(prints: Record, side_number: int) -> None:
    """What this side sends next answers something new, however much it looks like its latest packet."""
    base = side_number * PRINTS_PER_SIDE
    for i in range(base, base + PRINTS_PER_SIDE):
        prints[i].when = 0

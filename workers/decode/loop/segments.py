"""One TCP segment judged against what its side of the connection sent before."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.connections import NEVER
from backend.forensics.packets import (
    ACK,
    FIN,
    MARK_KEEP_ALIVE,
    MARK_LOST_SEGMENT,
    MARK_OUT_OF_ORDER,
    MARK_RETRANSMISSION,
    RST,
    SYN,
)
from workers.decode.loop.compiler import compiled
from workers.decode.loop.octets import after
from workers.decode.loop.records import PRINTS_PER_SIDE, Record

_PRIME = 0x01000193
_REORDERING_NS = 3_000_000
"""A segment that fills a hole sooner than this was overtaken on its way; later, it was sent again. Used where
the handshake, and so the round trip that a repetition needs at least, was not seen (as Wireshark does)."""
_COPY_UNITS = 48
"""50 ms in units of 2^20 ns: how late a copy may be when the packet has no IP ID or TSval to tell it by."""


@compiled
def fingerprint(row: Record) -> int:
    """32 bits of what two sightings of one packet share (TTL and checksums may differ between them)."""
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
def is_copy(prints: Record, side_number: int, side: Record, row: Record) -> bool:
    """Whether this packet was seen before at this vantage point; remembers it otherwise."""
    value = fingerprint(row)
    when = (np.int64(row.time_ns) >> 20) & 0xFFFFFFFF
    bounded = row.ip_id == 0 or row.timestamp_value == 0
    # Without IP ID nothing tells a bare ACK from the next duplicate ACK.
    tellable = row.ip_id != 0 or row.payload_bytes > 0 or (row.tcp_flags & (SYN | FIN | RST)) != 0
    base = side_number * PRINTS_PER_SIDE
    for i in range(base, base + PRINTS_PER_SIDE):
        if prints[i].print == value and tellable:
            apart = (when - np.int64(prints[i].when)) & 0xFFFFFFFF
            if prints[i].when != 0 and (not bounded or apart <= _COPY_UNITS):
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


@compiled
def _reordering_ns(connection: Record) -> int:
    if connection.syns != 1 or connection.established_ns == NEVER:
        return _REORDERING_NS
    return connection.established_ns - connection.syn_ns


@compiled
def judge_data(side: Record, row: Record, reordering_ns: int) -> int:
    """Marks of a segment with payload or FIN, and moves the side's highest sequence number."""
    end = np.int64(row.sequence) + np.int64(row.payload_bytes)
    if row.tcp_flags & FIN:
        end += 1
    if not side.known:
        side.known = 1
        side.highest = end & 0xFFFFFFFF
        side.first = row.sequence
        return 0
    ahead = after(row.sequence, side.highest)
    marks = 0
    if ahead > 0:
        side.skipped_ns = row.time_ns
    elif ahead < 0:
        marks = MARK_RETRANSMISSION
        fills_a_hole = side.skipped_ns != 0 and row.time_ns - side.skipped_ns < reordering_ns
        if fills_a_hole and (end & 0xFFFFFFFF) != side.highest:
            marks = MARK_OUT_OF_ORDER
    if after(end & 0xFFFFFFFF, side.highest) > 0:
        side.highest = end & 0xFFFFFFFF
    return marks


@compiled
def is_keep_alive(side: Record, row: Record) -> bool:
    """A probe repeats the last byte, or none, just below the next sequence number."""
    if row.tcp_flags & (SYN | FIN | RST) or row.payload_bytes > 1 or not side.known:
        return False
    return after(row.sequence, side.highest) == -1


@compiled
def acknowledges_unseen(other: Record, row: Record) -> bool:
    """Whether this ACK covers bytes of the other side that were never seen here; takes them as seen then."""
    if not row.tcp_flags & ACK or row.tcp_flags & (RST | SYN) or not other.known:
        return False
    if after(row.acknowledgement, other.highest) <= 0:
        return False
    other.highest = row.acknowledgement
    return True


@compiled
def judge_segment(connection: Record, mine: Record, other: Record, row: Record) -> int:
    """Marks of a segment without SYN and RST; counts data, retransmissions and lost segments."""
    marks = 0
    if is_keep_alive(mine, row):
        marks = MARK_KEEP_ALIVE
    elif row.payload_bytes > 0 or row.tcp_flags & FIN:
        marks = judge_data(mine, row, _reordering_ns(connection))
        if row.payload_bytes > 0:
            connection.data_segments += 1
            if marks & MARK_RETRANSMISSION:
                connection.data_retransmissions += 1
    elif not mine.known:
        mine.known = 1
        mine.highest = row.sequence
        mine.first = row.sequence
    if acknowledges_unseen(other, row):
        connection.lost_segments += 1
        marks |= MARK_LOST_SEGMENT
    return marks

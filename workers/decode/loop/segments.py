"""One TCP segment judged against what both sides of its connection sent before, at one vantage point.

The marks are defined in `backend.forensics.packets`; where tshark decides otherwise, docs/tcp-analysis.md shows."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.connections import NEVER
from backend.forensics.packets import (
    ACK,
    FIN,
    MARK_FAST_RETRANSMISSION,
    MARK_KEEP_ALIVE,
    MARK_OUT_OF_ORDER,
    MARK_PREVIOUS_MISSING,
    MARK_RETRANSMISSION,
    MARK_SPURIOUS_RETRANSMISSION,
    MARK_SUPER_FRAME,
    MARK_WINDOW_FULL,
    MARK_ZERO_WINDOW_PROBE,
)
from workers.decode.loop.acknowledgements import DUPLICATE_THRESHOLD, judge_acknowledgement, open_hole
from workers.decode.loop.compiler import compiled, together
from workers.decode.loop.octets import after
from workers.decode.loop.records import ANNOUNCED_ACK, ANNOUNCED_WINDOW, Record

_REORDERING_NS = 3_000_000
"""A segment that fills a hole sooner than this was overtaken on its way; later, it was sent again. Used where
the handshake, and so the round trip that a repetition needs at least, was not seen (as Wireshark does)."""
_FAST_NS = 20_000_000
"""How long after the round trip of the handshake a retransmission still is the answer to a duplicate ACK:
time-outs are ten times as long (Linux waits 200 ms at least, RFC 6298 a second)."""


@compiled
def _round_trip_ns(connection: Record) -> int:
    """Of the handshake; -1 when it was not seen, or a repeated SYN makes it ambiguous."""
    if connection.syns != 1 or connection.established_ns == NEVER:
        return np.int64(-1)
    return connection.established_ns - connection.syn_ns


@compiled
def _fills_hole(side: Record, row: Record, end: int) -> bool:
    """Whether all of it lies among bytes that this side's packets jumped over; they are seen then."""
    if side.hole_left == side.hole_right:
        return False
    if after(row.sequence, side.hole_left) < 0 or after(end, side.hole_right) > 0:
        return False
    if row.sequence == side.hole_left:
        side.hole_left = end
    elif end == side.hole_right:
        side.hole_right = row.sequence
    return True


@compiled
def _is_fast(mine: Record, other: Record, row: Record, round_trip_ns: int) -> bool:
    """Whether three duplicate ACKs or as much SACKed data asked for it (RFC 5681 section 3.2, RFC 6675
    section 5), or it belongs to the recovery after that."""
    asked = other.duplicate_acks >= DUPLICATE_THRESHOLD or mine.recovering != 0
    if not asked or after(row.sequence, other.acked) < 0:
        return False
    if row.time_ns - other.acked_ns > max(round_trip_ns, 0) + _FAST_NS:
        return False
    if not mine.recovering:
        mine.recovering = 1
        mine.recover = mine.highest
    return True


@compiled
def _repeated(connection: Record, mine: Record, other: Record, row: Record, end: int) -> int:
    """Marks of a segment that begins below the highest sequence number."""
    round_trip_ns = _round_trip_ns(connection)
    if _fills_hole(mine, row, end):
        limit_ns = round_trip_ns if round_trip_ns >= 0 else _REORDERING_NS
        if row.time_ns - mine.skipped_ns < limit_ns:
            return MARK_OUT_OF_ORDER
    marks = MARK_RETRANSMISSION
    if other.announced & ANNOUNCED_ACK:
        if after(end, other.acked) <= 0:
            marks |= MARK_SPURIOUS_RETRANSMISSION
        elif _is_fast(mine, other, row, round_trip_ns):
            marks |= MARK_FAST_RETRANSMISSION
    return marks


@compiled
def _window_is_closed(side: Record) -> bool:
    return (side.announced & ANNOUNCED_WINDOW) != 0 and side.window == 0


@compiled
def _probe(mine: Record, other: Record, row: Record) -> int:
    """Marks of a keep-alive or a probe of a closed window, 0 for anything else.

    A keep-alive repeats the last byte, or none, below the next sequence number (RFC 1122 4.2.3.6); with a byte it
    is one only when everything was acknowledged, or else that byte is sent again. Linux probes a closed window
    with the same packet; other systems with the next byte, which then counts as not sent."""
    together()
    if row.tcp_flags & FIN or row.payload_bytes > 1:
        return 0
    ahead = after(row.sequence, mine.highest)
    closed = _window_is_closed(other)
    if ahead == 0 and row.payload_bytes == 1 and closed:
        mine.probed = 1
        return MARK_ZERO_WINDOW_PROBE
    if ahead != -1:
        return 0
    if row.payload_bytes == 1 and not (other.announced & ANNOUNCED_ACK and other.acked == mine.highest):
        return 0
    return MARK_KEEP_ALIVE | (MARK_ZERO_WINDOW_PROBE if closed else 0)


@compiled
def _judge_sequence(connection: Record, mine: Record, other: Record, row: Record) -> int:
    """Marks by sequence number; moves the side's highest."""
    together()
    length = np.int64(row.payload_bytes) + (1 if row.tcp_flags & FIN else 0)
    end = (np.int64(row.sequence) + length) & 0xFFFFFFFF
    if not mine.known:
        mine.known = 1
        mine.highest = end
        mine.first = row.sequence
        return 0
    marks = _probe(mine, other, row)
    if marks != 0:
        return marks
    ahead = after(row.sequence, mine.highest)
    if ahead > 0:
        marks = MARK_PREVIOUS_MISSING
        open_hole(mine, mine.highest, row.sequence, row.time_ns)
    elif ahead < 0 and length > 0:
        marks = _repeated(connection, mine, other, row, end)
    if after(end, mine.highest) > 0:
        mine.highest = end
        mine.probed = 0
    return marks


@compiled
def _judge_size(mine: Record, other: Record, row: Record) -> int:
    """Marks of a segment with payload by its size."""
    together()
    marks = 0
    if other.mss > 0 and row.payload_bytes > other.mss:
        marks = MARK_SUPER_FRAME
    if other.announced == ANNOUNCED_ACK | ANNOUNCED_WINDOW and other.shift != 0 and other.window > 0:
        left = np.int64(other.acked) + np.int64(other.window) - np.int64(row.payload_bytes)
        if (left & 0xFFFFFFFF) == row.sequence:
            marks |= MARK_WINDOW_FULL
    return marks


@compiled
def judge_segment(connection: Record, mine: Record, other: Record, row: Record) -> int:
    """Marks of a segment without SYN and RST; counts data segments and their retransmissions."""
    together()
    marks = _judge_sequence(connection, mine, other, row)
    if row.payload_bytes > 0:
        marks |= _judge_size(mine, other, row)
        if not marks & (MARK_KEEP_ALIVE | MARK_ZERO_WINDOW_PROBE):
            connection.data_segments += 1
            if marks & MARK_RETRANSMISSION:
                connection.data_retransmissions += 1
    if row.tcp_flags & ACK:
        marks |= judge_acknowledgement(mine, other, row, marks)
    mine.probing = 1 if marks & (MARK_KEEP_ALIVE | MARK_ZERO_WINDOW_PROBE) else 0
    return marks

"""What a connection's packets were, counted."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from backend.forensics.connections import COUNT_LIMIT
from backend.forensics.packets import (
    MARK_DUPLICATE_ACK,
    MARK_FAST_RETRANSMISSION,
    MARK_KEEP_ALIVE,
    MARK_LOST_SEGMENT,
    MARK_OUT_OF_ORDER,
    MARK_PREVIOUS_MISSING,
    MARK_SPURIOUS_RETRANSMISSION,
    MARK_SUPER_FRAME,
    MARK_WINDOW_FULL,
    MARK_ZERO_WINDOW,
    MARK_ZERO_WINDOW_PROBE,
)
from workers.decode.loop.compiler import compiled
from workers.decode.loop.records import Record


@compiled
def _one_more(count: int, marks: int, mark: int) -> int:
    return min(count + 1, COUNT_LIMIT) if marks & mark else count


@compiled
def count_marks(connection: Record, marks: int) -> None:
    """Adds a packet with these marks to the connection's counters. Few packets have any."""
    if marks & MARK_LOST_SEGMENT:
        connection.lost_segments += 1
    connection.super_frames = _one_more(connection.super_frames, marks, MARK_SUPER_FRAME)
    connection.duplicate_acks = _one_more(connection.duplicate_acks, marks, MARK_DUPLICATE_ACK)
    if not marks & ~(MARK_SUPER_FRAME | MARK_DUPLICATE_ACK):
        return
    connection.fast_retransmissions = _one_more(
        connection.fast_retransmissions, marks, MARK_FAST_RETRANSMISSION
    )
    connection.spurious_retransmissions = _one_more(
        connection.spurious_retransmissions, marks, MARK_SPURIOUS_RETRANSMISSION
    )
    connection.out_of_order = _one_more(connection.out_of_order, marks, MARK_OUT_OF_ORDER)
    connection.zero_windows = _one_more(connection.zero_windows, marks, MARK_ZERO_WINDOW)
    connection.windows_full = _one_more(connection.windows_full, marks, MARK_WINDOW_FULL)
    connection.zero_window_probes = _one_more(connection.zero_window_probes, marks, MARK_ZERO_WINDOW_PROBE)
    connection.keep_alives = _one_more(connection.keep_alives, marks, MARK_KEEP_ALIVE)
    connection.previous_missing = _one_more(connection.previous_missing, marks, MARK_PREVIOUS_MISSING)

"""What a segment acknowledges and the window it offers, judged against what its side said before."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.packets import (
    FIN,
    MARK_DUPLICATE_ACK,
    MARK_KEEP_ALIVE,
    MARK_KEEP_ALIVE_ACK,
    MARK_LOST_SEGMENT,
    MARK_WINDOW_UPDATE,
    MARK_ZERO_WINDOW,
    MARK_ZERO_WINDOW_PROBE,
    SACK_DUPLICATE,
)
from workers.decode.loop.compiler import compiled, together
from workers.decode.loop.octets import after
from workers.decode.loop.records import ANNOUNCED_ACK, ANNOUNCED_WINDOW, Record

_SACK_BLOCKS = 0x0F
_COUNT_LIMIT = 255
_USUAL_SEGMENT = 1460  # where the SYN was not seen
DUPLICATE_THRESHOLD = 3  # RFC 5681 section 3.2


@compiled
def open_hole(side: Record, left: int, right: int, time_ns: int) -> None:
    """This side's bytes from `left` to `right` were not seen. Several holes count as one."""
    if side.hole_left == side.hole_right:
        side.hole_left = left
    side.hole_right = right
    side.skipped_ns = time_ns


@compiled
def _acknowledges_unseen(other: Record, row: Record) -> bool:
    """Whether this ACK covers bytes of the other side that were never seen here; they count as sent then."""
    together()
    if not other.known:
        return False
    ahead = after(row.acknowledgement, other.highest)
    if ahead <= 0:
        return False
    left = np.int64(other.highest)
    other.highest = row.acknowledgement
    if ahead == 1 and other.probed:  # the byte of a window probe was taken
        other.probed = 0
        return False
    # They may come yet: a capture of several interfaces can show an ACK before its data.
    open_hole(other, left, row.acknowledgement, row.time_ns)
    return True


@compiled
def _repeats(mine: Record, other: Record, row: Record, window: int) -> int:
    """Marks of a bare ACK with the acknowledgement number of the one before.

    One that begins below the side's next byte was overtaken by data and says nothing new."""
    if row.sequence != mine.highest:
        return 0
    outstanding = other.known != 0 and after(other.highest, row.acknowledgement) > 0
    same = (mine.announced & ANNOUNCED_WINDOW) != 0 and mine.window == window
    if other.probing and same:
        return MARK_KEEP_ALIVE_ACK
    # RFC 5681 section 2 wants the same window; a SACK block shows as much without (RFC 6675 section 2).
    if outstanding and (same or row.sack & _SACK_BLOCKS):
        if mine.duplicate_acks < _COUNT_LIMIT:
            mine.duplicate_acks += 1
        mine.acked_ns = row.time_ns
        return MARK_DUPLICATE_ACK
    if not same and window > 0 and mine.announced & ANNOUNCED_WINDOW:
        return MARK_WINDOW_UPDATE
    return 0


@compiled
def _shows_loss(mine: Record, row: Record) -> bool:
    """Whether the SACK blocks alone say that the segment after the ACK is lost (RFC 6675 section 4, IsLost):
    three blocks, or more than two segments, were received beyond it."""
    blocks = (row.sack & _SACK_BLOCKS) - (1 if row.sack & SACK_DUPLICATE else 0)
    if blocks <= 0:
        return False
    segment = np.int64(mine.mss) if mine.mss > 0 else _USUAL_SEGMENT
    return blocks >= DUPLICATE_THRESHOLD or row.sacked_bytes > (DUPLICATE_THRESHOLD - 1) * segment


@compiled
def _advance(mine: Record, other: Record, row: Record) -> None:
    together()
    mine.acked = row.acknowledgement
    mine.acked_ns = row.time_ns
    mine.duplicate_acks = 0
    mine.announced |= ANNOUNCED_ACK
    if other.recovering and after(other.recover, row.acknowledgement) <= 0:
        other.recovering = 0


@compiled
def judge_acknowledgement(mine: Record, other: Record, row: Record, marks: int) -> int:
    """Marks of a segment with ACK and neither SYN nor RST; `marks` are those by its sequence number."""
    together()
    window = np.int64(row.window)
    if mine.shift > 1:
        window <<= np.int64(mine.shift) - 1
    found = MARK_LOST_SEGMENT if _acknowledges_unseen(other, row) else 0
    if window == 0 and not row.tcp_flags & FIN:
        found |= MARK_ZERO_WINDOW
    moved = after(row.acknowledgement, mine.acked) if mine.announced & ANNOUNCED_ACK else 1
    if moved > 0:
        _advance(mine, other, row)
    elif moved < 0:
        return found  # overtaken by a later one, which stated more
    elif (
        row.payload_bytes == 0
        and not row.tcp_flags & FIN
        and not marks & (MARK_KEEP_ALIVE | MARK_ZERO_WINDOW_PROBE)
    ):
        found |= _repeats(mine, other, row, window)
    if row.sack & _SACK_BLOCKS and mine.duplicate_acks < DUPLICATE_THRESHOLD and _shows_loss(mine, row):
        mine.duplicate_acks = DUPLICATE_THRESHOLD
    mine.window = window
    mine.announced |= ANNOUNCED_WINDOW
    return found

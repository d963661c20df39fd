"""Picks signals: the packet loop shows each packet once, as soon as its connection is known."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

import numpy as np

from backend.forensics.packets import (
    ACK,
    MARK_COPY,
    MARK_OUT_OF_ORDER,
    MARK_PREVIOUS_MISSING,
    MARK_RETRANSMISSION,
    MARK_ZERO_WINDOW,
    RST,
    SYN,
)
from backend.forensics.signals import (
    AFTER_SILENCE,
    CLOSED,
    FILLED,
    FIRST_COPY,
    LARGE_BYTES,
    OPENED,
    PASSED,
    REPLY,
    SENT_AGAIN,
    SIGNAL_DTYPE,
    SILENCE_NS,
)
from workers.decode.loop.compiler import compiled, inlined, together
from workers.decode.loop.octets import after
from workers.decode.loop.records import BATCH_ROWS, Record

PLACES: Final = 1 << 16
"""Connections followed at once; a power of two. A later one takes over the place of an earlier one, which is then
followed as if it began."""

HOLES: Final = 8
"""Followed of one side at once; what fills a further one counts as seen before."""
_HOLE_DTYPE: Final = np.dtype([("left", "<u4"), ("right", "<u4")])  # equal for none
_SIDE_DTYPE: Final = np.dtype(
    [
        ("end", "<u4"),  # sequence number after the last byte sent
        ("large_end", "<u4"),  # after the largest segment that is not acknowledged
        ("large_bytes", "<u4"),  # its size, 0 for none
        ("passed_bytes", "<u4"),
        ("known", "<u4"),  # 1 from its first packet on that is no RST
        ("closed", "<u4"),  # its window is
        ("again", "<u4"),  # 1 from the repetition of a large segment to its acknowledgement
        ("again_end", "<u4"),  # sequence number after that segment
        ("doubted_value", "<u4"),  # TSval of the first retransmission that is not acknowledged, 0 for none
        ("doubted_end", "<u4"),  # sequence number after its segment
        ("holes", _HOLE_DTYPE, (HOLES,)),
    ]
)
_PLACE_DTYPE: Final = np.dtype(
    [
        ("owner", "<u4"),  # connection + 1, 0 for none
        ("waiting", "<u4"),  # 1: the client's packet after a silence waits for a reply, 2: the server's
        ("last_ns", "<i8"),
        ("last_frame", "<u8"),
        ("sides", _SIDE_DTYPE, (2,)),
    ]
)
PICKER_DTYPE: Final = np.dtype(
    [("signals", "<i8"), ("places", _PLACE_DTYPE, (PLACES,)), ("rows", SIGNAL_DTYPE, (BATCH_ROWS,))]
)
"""Everything that picking remembers: 5 MB and room for one batch, of which only pages in use become memory."""


@compiled
def _begin(place: Record, owner: int) -> None:
    place.owner, place.waiting, place.last_ns, place.last_frame = owner, 0, 0, 0
    for n in range(2):
        side = place.sides[n]
        side.end = side.large_end = side.large_bytes = side.passed_bytes = side.known = 0
        side.closed = side.again = side.doubted_value = 0
        for hole in range(HOLES):
            side.holes[hole].left = side.holes[hole].right = 0


@compiled
def _open_hole(side: Record, right: int) -> None:
    for n in range(HOLES):
        hole = side.holes[n]
        if hole.left == hole.right:
            hole.left, hole.right = side.end, right
            return


@compiled
def _fill_hole(side: Record, row: Record) -> int:
    """FILLED where all of the segment lies in a hole, which closes to its left or right."""
    end = (np.int64(row.sequence) + np.int64(row.payload_bytes)) & 0xFFFFFFFF
    for n in range(HOLES):
        hole = side.holes[n]
        if hole.left == hole.right or after(row.sequence, hole.left) < 0 or after(end, hole.right) > 0:
            continue
        if row.sequence == hole.left:
            hole.left = end
        elif end == hole.right:
            hole.right = row.sequence
        return FILLED
    return 0


@inlined
def _first_sight(place: Record, row: Record, side: int, kind: int) -> int:
    """FILLED for a segment that was sent again and is seen for the first time; remembers what was jumped over."""
    mine = place.sides[side]
    if row.marks & MARK_PREVIOUS_MISSING and mine.known:
        _open_hole(mine, row.sequence)
    if not row.marks & (MARK_RETRANSMISSION | MARK_OUT_OF_ORDER) or row.payload_bytes == 0:
        return 0
    filled = _fill_hole(mine, row)
    return filled if kind & SENT_AGAIN else 0


@inlined
def _kind(place: Record, row: Record, side: int, silence_ns: int) -> int:
    """What the packet signals; remembers closed windows and awaited replies."""
    kind = 0
    mine = place.sides[side]
    flags = np.int64(row.tcp_flags)
    if row.marks & MARK_RETRANSMISSION and row.payload_bytes > 0:
        kind |= SENT_AGAIN
    if row.marks & MARK_ZERO_WINDOW:
        if not mine.closed:
            mine.closed = 1
            kind |= CLOSED
    elif mine.closed and (flags & RST or row.window > 0):
        mine.closed = 0
        kind |= OPENED
    if silence_ns >= SILENCE_NS and not flags & SYN:
        place.waiting = side + 1
        kind |= AFTER_SILENCE
    elif place.waiting and place.waiting != side + 1:
        place.waiting = 0
        kind |= REPLY
    return kind


@inlined
def _passed(place: Record, row: Record, side: int, kind: int) -> int:
    """PASSED for the acknowledgement of a large segment that was repeated; remembers such repetitions."""
    mine, other = place.sides[side], place.sides[1 - side]
    if kind & SENT_AGAIN and row.payload_bytes >= LARGE_BYTES:
        mine.again = 1
        mine.again_end = (np.int64(row.sequence) + np.int64(row.payload_bytes)) & 0xFFFFFFFF
    if row.tcp_flags & ACK and other.again and after(row.acknowledgement, other.again_end) >= 0:
        other.again = 0
        return PASSED
    return 0


@inlined
def _first_copy(place: Record, row: Record, side: int, kind: int) -> int:
    """FIRST_COPY for an acknowledgement that echoes an older timestamp than that of the retransmission which it covers
    (Eifel, RFC 3522): the first copy had arrived, late as it may have been."""
    mine, other = place.sides[side], place.sides[1 - side]
    if kind & SENT_AGAIN and not kind & FILLED and not mine.doubted_value:
        mine.doubted_value = row.timestamp_value
        mine.doubted_end = (np.int64(row.sequence) + np.int64(row.payload_bytes)) & 0xFFFFFFFF
    covers = row.tcp_flags & ACK and after(row.acknowledgement, other.doubted_end) >= 0
    if not other.doubted_value or not covers:
        return 0
    value, other.doubted_value = other.doubted_value, 0
    return FIRST_COPY if row.timestamp_echo and after(row.timestamp_echo, value) < 0 else 0


@inlined
def _follow(place: Record, row: Record, side: int) -> int:
    """Updates what was sent and acknowledged; whether the packet's last byte is its side's last so far."""
    mine, other = place.sides[side], place.sides[1 - side]
    if row.tcp_flags & ACK and other.large_bytes and after(row.acknowledgement, other.large_end) >= 0:
        other.passed_bytes = max(other.passed_bytes, other.large_bytes)
        other.large_bytes = 0
    if row.tcp_flags & RST and row.payload_bytes == 0:
        return 0  # its sequence number may be anything
    syn = 1 if row.tcp_flags & SYN else 0
    end = (np.int64(row.sequence) + syn + np.int64(row.payload_bytes)) & 0xFFFFFFFF
    # From the SYN on: a hole before the first data is one, too.
    if not mine.known or after(end, mine.end) > 0:
        mine.known, mine.end = 1, end
    if row.payload_bytes == 0:
        return 0
    if row.payload_bytes > mine.large_bytes and row.payload_bytes > mine.passed_bytes:
        mine.large_bytes, mine.large_end = row.payload_bytes, end
    return 1 if mine.end == end else 0


@inlined
def _header_bytes(row: Record) -> int:
    """RFC 791, RFC 8200, RFC 9293; data segments carry no option but timestamps (RFC 7323, padded to 12 bytes)."""
    network = 40 if row.ip_version == 6 else 20
    return network + 20 + (12 if row.timestamp_value else 0)


@compiled
def _emit(p: Record, row: Record, place: Record, kind: int, silence_ns: int, side: int, last: int) -> None:
    signal = p.rows[p.signals]
    p.signals += 1
    signal.time_ns, signal.silence_ns, signal.frame = row.time_ns, silence_ns, row.frame
    signal.previous_frame, signal.connection, signal.vantage = place.last_frame, row.connection, row.vantage
    signal.sequence, signal.acknowledgement = row.sequence, row.acknowledgement
    signal.payload_bytes, signal.passed_bytes = row.payload_bytes, place.sides[side].passed_bytes
    signal.marks, signal.tcp_flags, signal.kind = row.marks, row.tcp_flags, kind
    signal.from_client, signal.last_of_all = 1 - side, last
    signal.header_bytes = _header_bytes(row)


@compiled
def pick(p: Record, row: Record, side: int) -> None:
    """Takes a TCP packet (PACKET_DTYPE; they come in file order) that the client (`side` 0) or the server of its
    connection sent. It is one signal at most, and there is room for that."""
    together()
    if row.marks & MARK_COPY:
        return
    place = p.places[np.int64(row.connection) & (PLACES - 1)]
    owner = np.int64(row.connection) + 1
    if place.owner != owner:
        _begin(place, owner)
    silence_ns = np.int64(row.time_ns) - place.last_ns if place.last_frame else 0
    kind = _kind(place, row, side, silence_ns)
    kind |= _passed(place, row, side, kind)
    kind |= _first_sight(place, row, side, kind)
    kind |= _first_copy(place, row, side, kind)
    last = _follow(place, row, side)
    if kind:
        _emit(p, row, place, kind, silence_ns, side, last)
    place.last_ns, place.last_frame = row.time_ns, row.frame

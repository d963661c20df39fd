"""IP fragments: later ones get the flow of the first, and a header that is split over them is put together.

The table is bounded; when it is full the oldest of a few neighbours gives way (RFC 791 section 3.2, RFC 8200
section 4.5).
"""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.packets import DECODED_TRANSPORT, NO_CONNECTION, TCP
from workers.decode.loop.compiler import compiled
from workers.decode.loop.octets import Buffer, after
from workers.decode.loop.paths import network_of
from workers.decode.loop.records import (
    DONE,
    GO_ON,
    HEAD_BYTES,
    LATER_FRAGMENT,
    MAX_FRAGMENTED,
    Record,
)
from workers.decode.loop.transport import read_transport
from workers.decode.loop.tuples import mix

_FREE, _UNKNOWN, _COLLECTING, _KNOWN = 0, 1, 2, 3
_NEIGHBOURS = 4
_LIFETIME_NS = 60_000_000_000
"""Identifications are used again; RFC 8200 gives up on a packet after 60 s."""
_MAX_PENDING = 4
_OFFSET_UNKNOWN = -1


@compiled
def _place(state: Record, layers: Record, row: Record) -> int:
    """Where the fragments were seen, in 32 bits: vantage point, network, protocol."""
    seen = (np.uint64(row.vantage) << np.uint64(24)) | (np.uint64(row.vlan) << np.uint64(8))
    value = mix(seen | np.uint64(row.protocol)) + np.uint64(network_of(layers, state.depth))
    return np.int64(mix(value) >> np.uint64(32))


@compiled
def _claim(entry: Record, row: Record, identification: int, place: int) -> None:
    entry.key_source_high, entry.key_source_low = row.source_high, row.source_low
    entry.key_destination_high, entry.key_destination_low = row.destination_high, row.destination_low
    entry.key_id, entry.key_place = identification, place
    entry.when_ns = row.time_ns
    entry.status = _UNKNOWN
    entry.filled = entry.pending = 0


@compiled
def _matches(entry: Record, row: Record, identification: int, place: int) -> bool:
    return (
        entry.status != _FREE
        and entry.key_id == identification
        and entry.key_place == place
        and entry.key_source_low == row.source_low
        and entry.key_destination_low == row.destination_low
        and entry.key_source_high == row.source_high
        and entry.key_destination_high == row.destination_high
        and abs(row.time_ns - entry.when_ns) <= _LIFETIME_NS
    )


@compiled
def _find(state: Record, layers: Record, fragments: Record, row: Record) -> int:
    """Number of the packet's entry, made when it is new."""
    place = _place(state, layers, row)
    value = mix(row.source_low ^ mix(row.destination_low + np.uint64(state.piece_id) + np.uint64(place)))
    first = np.int64(value >> np.uint64(32))
    chosen = -1
    for i in range(_NEIGHBOURS):
        at = (first + i) & (MAX_FRAGMENTED - 1)
        if _matches(fragments[at], row, state.piece_id, place):
            return at
        if chosen < 0 or (
            fragments[chosen].status != _FREE
            and (fragments[at].status == _FREE or fragments[at].when_ns < fragments[chosen].when_ns)
        ):
            chosen = at
    _claim(fragments[chosen], row, state.piece_id, place)
    return chosen


@compiled
def _header_bytes(buffer: Buffer, at: int, end: int, protocol: int) -> int:
    """How long the transport header at `at` is, as far as it shows."""
    if protocol != TCP:
        return 8
    if at + 13 > end:
        return 20
    return max(20, (np.int64(buffer[at + 12]) >> 4) * 4)


@compiled
def _collect(buffer: Buffer, at: int, length: int, number: int, entry: Record, heads: Buffer) -> None:
    first = number * HEAD_BYTES + np.int64(entry.filled)
    count: int = min(length, HEAD_BYTES - np.int64(entry.filled))
    for i in range(count):
        heads[first + i] = buffer[at + i]
    entry.filled += count


@compiled
def _wait(state: Record, entry: Record, length: int, row: Record) -> int:
    """Remembers a fragment that came before its header."""
    row.payload_bytes = max(0, length)
    pending = entry.pending
    if pending == 0:
        entry.pending_0 = state.frame
    elif pending == 1:
        entry.pending_1 = state.frame
    elif pending == 2:
        entry.pending_2 = state.frame
    elif pending == 3:
        entry.pending_3 = state.frame
    if pending < _MAX_PENDING:
        entry.pending += 1
    return LATER_FRAGMENT


@compiled
def _count_piece(connections: Record, sides: Record, entry: Record, offset: int, row: Record) -> None:
    """A fragment counts for the connection like a packet; TCP's next byte lies behind it."""
    connection = connections[np.int64(entry.connection)]
    connection.last_ns = max(connection.last_ns, row.time_ns)
    from_client = (
        connection.client_low == entry.source_low
        and connection.client_port == entry.source_port
        and connection.client_high == entry.source_high
    )
    if from_client:
        connection.client_packets += np.uint64(1)
        connection.client_bytes += np.uint64(row.payload_bytes)
    else:
        connection.server_packets += np.uint64(1)
        connection.server_bytes += np.uint64(row.payload_bytes)
    if entry.protocol == TCP and connection.track != 0:
        side = sides[2 * (np.int64(connection.track) - 1) + (0 if from_client else 1)]
        first = np.int64(side.highest) if offset == _OFFSET_UNKNOWN else np.int64(entry.begin) + offset
        beyond = (first + np.int64(row.payload_bytes)) & 0xFFFFFFFF
        if side.known and after(beyond, side.highest) > 0:
            side.highest = beyond


@compiled
def _join(connections: Record, sides: Record, entry: Record, offset: int, length: int, row: Record) -> None:
    """Gives the fragment what the first one stated."""
    row.source_high, row.source_low = entry.source_high, entry.source_low
    row.destination_high, row.destination_low = entry.destination_high, entry.destination_low
    row.source_port, row.destination_port = entry.source_port, entry.destination_port
    row.protocol, row.ip_version = entry.protocol, entry.ip_version
    row.connection, row.tunnel = entry.connection, entry.tunnel
    # Inside a tunnel the inner header counts all its bytes with the first fragment already.
    row.payload_bytes = 0 if entry.inner else max(0, length)
    if entry.connection != NO_CONNECTION and not entry.inner:
        _count_piece(connections, sides, entry, offset, row)


@compiled
def _first_piece(
    buffer: Buffer, at: int, end: int, length: int, number: int, state: Record, entry: Record,
    heads: Buffer, row: Record,
) -> int:  # fmt: skip
    if entry.status == _KNOWN or entry.status == _COLLECTING:  # the identification is used again, or a copy
        entry.status = _UNKNOWN
        entry.filled = entry.pending = 0
    entry.when_ns = row.time_ns
    is_short = length < _header_bytes(buffer, at, end, row.protocol)
    if not is_short or length <= 0 or at + length > end:
        entry.begin = max(0, length)
        state.fragment = number
        return GO_ON
    entry.status = _COLLECTING
    _collect(buffer, at, length, number, entry, heads)
    return _wait(state, entry, length, row)


@compiled
def _next_of_header(
    buffer: Buffer, at: int, end: int, offset: int, length: int, number: int, state: Record, entry: Record,
    heads: Buffer, row: Record,
) -> int:  # fmt: skip
    """Appends to the header that is being put together; reads it when it is whole."""
    if length <= 0 or at + length > end:
        return _wait(state, entry, length, row)
    _collect(buffer, at, length, number, entry, heads)
    first = number * HEAD_BYTES
    whole = first + np.int64(entry.filled)
    if entry.filled < _header_bytes(heads, first, whole, row.protocol):
        return _wait(state, entry, length, row)
    if read_transport(heads, first, whole, offset + length, row) != 1:
        return _wait(state, entry, length, row)
    row.layers = DECODED_TRANSPORT
    entry.begin = offset + length
    state.fragment = number
    return DONE


@compiled
def place_piece(
    buffer: Buffer, at: int, end: int, length: int, state: Record, layers: Record, fragments: Record,
    heads: Buffer, connections: Record, sides: Record, row: Record,
) -> int:  # fmt: skip
    """GO_ON when the transport header at `at` can be read, DONE when the flow is known, else a reason to count."""
    offset = state.piece & 0xFFFF
    number = _find(state, layers, fragments, row)
    entry = fragments[number]
    if offset == 0:
        return _first_piece(buffer, at, end, length, number, state, entry, heads, row)
    if entry.status == _KNOWN:
        _join(connections, sides, entry, offset, length, row)
        state.depth = state.kept = 0  # the path is the first fragment's
        return DONE
    if entry.status == _COLLECTING and offset == entry.filled:
        return _next_of_header(buffer, at, end, offset, length, number, state, entry, heads, row)
    return _wait(state, entry, length, row)


@compiled
def _join_pending(
    state: Record,
    entry: Record,
    frame: int,
    rows: Record,
    connections: Record,
    sides: Record,
    undecoded: Record,
) -> None:
    """A fragment that came earlier is patched as long as its row is still in this batch."""
    at = state.rows - (state.frame - np.int64(frame))
    if at < 0 or at >= state.rows or rows[at].frame != frame:
        return
    row = rows[at]
    # A header that was put together counts the bytes of all its pieces.
    length = 0 if entry.filled > 0 else np.int64(row.payload_bytes)
    _join(connections, sides, entry, _OFFSET_UNKNOWN, length, row)
    undecoded[LATER_FRAGMENT] -= 1


@compiled
def remember_first(
    state: Record, fragments: Record, rows: Record, connections: Record, sides: Record, undecoded: Record
) -> None:
    """Keeps what the first fragment's packet turned out to be, for the others."""
    entry = fragments[state.fragment]
    row = rows[state.rows]
    entry.source_high, entry.source_low = row.source_high, row.source_low
    entry.destination_high, entry.destination_low = row.destination_high, row.destination_low
    entry.source_port, entry.destination_port = row.source_port, row.destination_port
    entry.protocol, entry.ip_version = row.protocol, row.ip_version
    entry.connection, entry.tunnel = row.connection, row.tunnel
    entry.inner = entry.key_source_low != row.source_low or entry.key_destination_low != row.destination_low
    behind = np.int64(row.sequence) + np.int64(row.payload_bytes)
    entry.begin = (behind - np.int64(entry.begin)) & 0xFFFFFFFF
    pending = entry.pending
    entry.status = _KNOWN
    entry.pending = 0
    if pending > 0:
        _join_pending(state, entry, entry.pending_0, rows, connections, sides, undecoded)
    if pending > 1:
        _join_pending(state, entry, entry.pending_1, rows, connections, sides, undecoded)
    if pending > 2:
        _join_pending(state, entry, entry.pending_2, rows, connections, sides, undecoded)
    if pending > 3:
        _join_pending(state, entry, entry.pending_3, rows, connections, sides, undecoded)

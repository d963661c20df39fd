"""Walks the record headers of a buffer. The functions here are what Python calls."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from workers.decode.loop.ahead import look_ahead
from workers.decode.loop.clock import checked_time
from workers.decode.loop.compiler import compiled, entry
from workers.decode.loop.octets import Buffer, file16, file32
from workers.decode.loop.packet import read_packet
from workers.decode.loop.records import (
    BAD_INTERFACE,
    BAD_LENGTH,
    BUCKETS_FULL,
    CONNECTIONS_FULL,
    LATEST_NS,
    NEED_BYTES,
    NO_TIME,
    OTHER_BLOCK,
    ROWS_FULL,
    TRACKS_FULL,
    Record,
)

_ENHANCED, _SIMPLE, _OBSOLETE = 6, 3, 2
_COMMENT, _DROP_COUNT = 1, 4
_DROPS_UNKNOWN = 0xFFFF
_GO_ON = -1
_SECOND_NS = 1_000_000_000


@compiled
def _lack_of_room(state: Record, rows: Record, connections: Record, sides: Record, buckets: Record) -> int:
    if state.rows >= rows.size:
        return ROWS_FULL
    if state.connections >= connections.size:
        return CONNECTIONS_FULL
    if state.buckets >= buckets.size:
        return BUCKETS_FULL
    if state.free_track == 0 and 2 * state.tracks >= sides.size:
        return TRACKS_FULL
    return _GO_ON


@compiled
def _ticks_as_ns(ticks: int, interface: Record) -> int:
    """A pcapng time stamp in nanoseconds, NO_TIME beyond LATEST_NS."""
    if interface.multiply > 0:
        if ticks > np.uint64(LATEST_NS // interface.multiply):
            return np.int64(NO_TIME)
        return np.int64(ticks) * interface.multiply
    if interface.divide > 0:
        whole = ticks // np.uint64(interface.divide)
        return np.int64(whole) if whole <= np.uint64(LATEST_NS) else np.int64(NO_TIME)
    shift = np.uint64(interface.shift)
    whole = ticks >> shift
    if whole > np.uint64(LATEST_NS // _SECOND_NS):
        return np.int64(NO_TIME)
    fraction = ticks - (whole << shift)
    if interface.shift > 30:  # keeps fraction x 10^9 within 64 bits
        fraction >>= shift - np.uint64(30)
        shift = np.uint64(30)
    return np.int64(whole) * _SECOND_NS + np.int64((fraction * np.uint64(_SECOND_NS)) >> shift)


@compiled
def _nanoseconds(ticks: int, interface: Record) -> int:
    """Time since 1970 of a pcapng time stamp, NO_TIME where that is before 1970 or beyond LATEST_NS."""
    own_ns = _ticks_as_ns(ticks, interface)
    if own_ns < 0:
        return np.int64(NO_TIME)
    time_ns = own_ns + np.int64(interface.offset_ns)  # each at most 2^62 in size
    if time_ns < 0 or time_ns > LATEST_NS:
        return np.int64(NO_TIME)
    return time_ns


@entry
def walk_pcap(
    buffer: Buffer, end: int, big: bool, states: Record, interfaces: Record, vantages: Record, rows: Record,
    picked: Record, slots: Record, connections: Record, sides: Record, prints: Record, buckets: Record,
    undecoded: Record, layers: Record, paths: Record, fragments: Record, heads: Buffer,
    memory: Record, samplers: Record, pickers: Record,
) -> None:  # fmt: skip
    """Reads classic pcap records from buffer[position:end] until something is missing; `reason` says what."""
    state = states[0]
    interface = interfaces[0]
    at = state.position
    state.peeked = -1  # the buffer may have moved
    reason = _GO_ON
    while reason == _GO_ON:
        reason = _lack_of_room(state, rows, connections, sides, buckets)
        if reason != _GO_ON:
            break
        if at + 16 > end:
            reason = NEED_BYTES
            break
        captured = file32(buffer, at + 8, big)
        if captured > interface.snap_length:
            state.detail = captured
            reason = BAD_LENGTH
        elif at + 16 + captured > end:
            reason = NEED_BYTES
        else:
            fraction_ns = file32(buffer, at + 4, big) * interface.multiply
            time_ns = checked_time(state, file32(buffer, at, big) * _SECOND_NS + fraction_ns)
            ahead = at + 32 + captured
            look_ahead(buffer, at + 16, ahead, end, state, interface, slots, samplers[0])
            read_packet(
                buffer, at + 16, at + 16 + captured, time_ns, file32(buffer, at + 12, big), state, interface,
                vantages, rows, picked, slots, connections, sides, prints, buckets, undecoded,
            layers, paths, fragments, heads, memory, samplers[0], pickers[0],
            )  # fmt: skip
            at += 16 + captured
    state.position = at
    state.reason = reason


@compiled
def _ticks(buffer: Buffer, at: int, big: bool) -> int:
    """The time stamp of a pcapng packet block: high word, low word; uint64."""
    return (np.uint64(file32(buffer, at, big)) << np.uint64(32)) | np.uint64(file32(buffer, at + 4, big))


@compiled
def _block_reason(buffer: Buffer, at: int, end: int, big: bool, limit: int, state: Record) -> int:
    """Whether the block at `at` is a whole packet block (_GO_ON), and if not, what it is."""
    if at + 12 > end:
        return NEED_BYTES
    kind = file32(buffer, at, big)
    length = file32(buffer, at + 4, big)
    state.detail = length
    if kind not in (_ENHANCED, _SIMPLE, _OBSOLETE):
        return OTHER_BLOCK
    if length > limit or length < (16 if kind == _SIMPLE else 32) or length & 3:
        return BAD_LENGTH
    if at + length > end:
        return NEED_BYTES
    return _GO_ON


@compiled
def _packet_place(buffer: Buffer, at: int, big: bool, kind: int, snap_length: int) -> tuple[int, int, int]:
    """(first byte, captured bytes, original bytes) of a whole packet block."""
    length = file32(buffer, at + 4, big)
    if kind == _SIMPLE:
        original = file32(buffer, at + 8, big)
        captured = min(original, length - 16)
        if snap_length > 0:
            captured = min(captured, snap_length)
        return at + 12, captured, original
    return at + 28, file32(buffer, at + 20, big), file32(buffer, at + 24, big)


@compiled
def _interface_number(buffer: Buffer, at: int, big: bool, kind: int) -> int:
    if kind == _ENHANCED:
        return file32(buffer, at + 8, big)
    if kind == _OBSOLETE:
        return file16(buffer, at + 8, big)
    return np.int64(0)


@compiled
def _count_options(buffer: Buffer, at: int, end: int, big: bool, interface: Record) -> None:
    """Of the options of an enhanced packet block: comments, and packets dropped since the one before."""
    while at + 4 <= end:
        code = file16(buffer, at, big)
        length = file16(buffer, at + 2, big)
        if code == 0 or at + 4 + length > end:
            return
        if code == _COMMENT:
            interface.comments += 1
        elif code == _DROP_COUNT and length == 8:
            interface.dropped += np.int64(file32(buffer, at + (8 if big else 4), big))
        at += 4 + ((length + 3) & ~3)


@compiled
def _read_block(
    buffer: Buffer, at: int, end: int, big: bool, states: Record, interfaces: Record, vantages: Record,
    rows: Record, picked: Record, slots: Record, connections: Record, sides: Record, prints: Record,
    buckets: Record, undecoded: Record, layers: Record, paths: Record, fragments: Record, heads: Buffer,
    memory: Record, samplers: Record, pickers: Record,
) -> int:  # fmt: skip
    """Reads the whole packet block at `at`; _GO_ON or why it cannot be read."""
    state = states[0]
    kind = file32(buffer, at, big)
    number = _interface_number(buffer, at, big, kind)
    if number >= state.interfaces:
        state.detail = number
        return BAD_INTERFACE
    interface = interfaces[number]
    first, captured, original = _packet_place(buffer, at, big, kind, interface.snap_length)
    if first + captured + 4 > at + file32(buffer, at + 4, big):
        state.detail = captured
        return BAD_LENGTH
    time_ns = np.int64(
        state.latest_ns
    )  # a simple packet block carries none: zero would stretch the capture to 1970
    if kind != _SIMPLE:
        time_ns = checked_time(state, _nanoseconds(_ticks(buffer, at + 12, big), interface))
    ahead = at + file32(buffer, at + 4, big)  # whatever block that is: only what is read in earnest counts
    look_ahead(buffer, first, ahead + 28, end, state, interface, slots, samplers[0])
    read_packet(
        buffer, first, first + captured, time_ns, original,
        state, interface, vantages, rows, picked, slots, connections, sides, prints, buckets, undecoded,
            layers, paths, fragments, heads, memory, samplers[0], pickers[0],
    )  # fmt: skip
    if kind == _ENHANCED:
        options = first + ((captured + 3) & ~3)
        _count_options(buffer, options, at + file32(buffer, at + 4, big) - 4, big, interface)
    elif kind == _OBSOLETE and file16(buffer, at + 10, big) != _DROPS_UNKNOWN:
        interface.dropped += file16(buffer, at + 10, big)
    return _GO_ON


@entry
def walk_pcapng(
    buffer: Buffer, end: int, big: bool, limit: int, states: Record, interfaces: Record, vantages: Record,
    rows: Record, picked: Record, slots: Record, connections: Record, sides: Record, prints: Record,
    buckets: Record, undecoded: Record, layers: Record, paths: Record, fragments: Record, heads: Buffer,
    memory: Record, samplers: Record, pickers: Record,
) -> None:  # fmt: skip
    """Reads packet blocks from buffer[position:end]; stops at any other block, which Python reads."""
    state = states[0]
    at = state.position
    state.peeked = -1  # the buffer may have moved
    while True:
        reason = _lack_of_room(state, rows, connections, sides, buckets)
        if reason == _GO_ON:
            reason = _block_reason(buffer, at, end, big, limit, state)
        if reason == _GO_ON:
            reason = _read_block(
                buffer, at, end, big, states, interfaces, vantages, rows, picked, slots, connections, sides,
                prints, buckets, undecoded, layers, paths, fragments, heads, memory, samplers,
                pickers,
            )  # fmt: skip
        if reason != _GO_ON:
            break
        at += file32(buffer, at + 4, big)
    state.position = at
    state.reason = reason

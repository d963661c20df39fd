"""Walks the records of a plain capture and writes pcapng packet blocks. The functions here are what Python calls."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from workers.decode import anonymiser_cache
from workers.decode.anonymise.loop.copying import slot_of
from workers.decode.anonymise.loop.packet import note_payload, rewrite
from workers.decode.anonymise.loop.records import (
    DAMAGED,
    NEED_BYTES,
    NOTES,
    NOTES_FULL,
    OTHER_BLOCK,
    TARGET_FULL,
    WANTS_ADDRESSES,
    Anonymiser,
)
from workers.decode.loop.compiler import compiled, entry_kept_in
from workers.decode.loop.octets import Buffer, file16, file32
from workers.decode.loop.records import Record

_entry = entry_kept_in(anonymiser_cache)

_OBSOLETE, _SIMPLE, _ENHANCED = 2, 3, 6
_FLAGS, _DROP_COUNT = 2, 4
_DROPS_UNKNOWN = 0xFFFF
_HEAD, _TAIL = 28, 4
_OPTION_ROOM = 32
_GO_ON = -1


@compiled
def _little(target: Buffer, at: int, value: int, count: int) -> None:
    for i in range(count):
        target[at + i] = (value >> (8 * i)) & 0xFF


@compiled
def _blank(target: Buffer, at: int, count: int) -> None:
    for i in range(at, at + count):
        target[i] = 0


@compiled
def _room(target: Buffer, written: int, captured: int) -> bool:
    return written + _HEAD + captured + 3 + _OPTION_ROOM + _TAIL <= target.size


@compiled
def _close(target: Buffer, begin: int, end: int) -> int:
    """Writes both lengths of the block; where the next one begins."""
    length = end + _TAIL - begin
    _little(target, begin + 4, length, 4)
    _little(target, end, length, 4)
    return end + _TAIL


@compiled
def _packet(
    a: Anonymiser, source: Buffer, target: Buffer, at: int, captured: int, original: int, link: int, chosen: Buffer,
    begin: int,
) -> int:  # fmt: skip
    """The bytes of a packet at target[begin:]; a reason to stop, or _GO_ON."""
    work = a.work[0]
    _blank(target, begin, captured + 3 + _OPTION_ROOM + _TAIL)
    rewrite(a, source, target, at, at + captured, original, link, begin - at)
    if work.wanted:
        return WANTS_ADDRESSES
    work.frame += 1
    while work.chosen < chosen.size and chosen[work.chosen] < work.frame:
        work.chosen += 1
    if work.chosen < chosen.size and chosen[work.chosen] == work.frame:
        note_payload(a, source)
    return _GO_ON


@compiled
def _enhanced_head(
    target: Buffer, begin: int, interface: int, high: int, low: int, captured: int, original: int
) -> None:
    _little(target, begin, _ENHANCED, 4)
    _little(target, begin + 8, interface, 4)
    _little(target, begin + 12, high, 4)
    _little(target, begin + 16, low, 4)
    _little(target, begin + 20, captured, 4)
    _little(target, begin + 24, max(captured, original), 4)


@_entry
def anonymise_pcap(
    source: Buffer, big: bool, nano: bool, memory: Record, chosen: Buffer, target: Buffer
) -> None:
    """Records of a classic pcap as enhanced packet blocks of interface 0, until something is missing."""
    a = memory[0]
    work, interface = a.work[0], a.interfaces[0]
    unit = 1_000_000_000 if nano else 1_000_000
    reason = _GO_ON
    while reason == _GO_ON:
        at, begin = work.position, work.written
        if at + 16 > source.size:
            reason = NEED_BYTES
            break
        captured = file32(source, at + 8, big)
        if captured > interface.snap_length:
            reason = DAMAGED
        elif at + 16 + captured > source.size:
            reason = NEED_BYTES
        elif not _room(target, begin, captured):
            reason = TARGET_FULL
        elif work.notes >= NOTES:
            reason = NOTES_FULL
        else:
            ticks = file32(source, at, big) * unit + file32(source, at + 4, big)
            original = file32(source, at + 12, big)
            _enhanced_head(target, begin, 0, ticks >> 32, ticks & 0xFFFFFFFF, captured, original)
            reason = _packet(
                a, source, target, at + 16, captured, original, interface.link, chosen, begin + _HEAD
            )
            if reason == _GO_ON:
                work.written = _close(target, begin, begin + _HEAD + ((captured + 3) & ~3))
                work.position = at + 16 + captured
    work.reason = reason


@compiled
def _block_reason(source: Buffer, at: int, big: bool, limit: int) -> int:
    if at + 12 > source.size:
        return NEED_BYTES
    kind, length = file32(source, at, big), file32(source, at + 4, big)
    if kind not in (_ENHANCED, _SIMPLE, _OBSOLETE):
        return OTHER_BLOCK
    if length > limit or length < (16 if kind == _SIMPLE else 32) or length & 3:
        return DAMAGED
    return NEED_BYTES if at + length > source.size else _GO_ON


@compiled
def _put_drops(target: Buffer, at: int, count_low: int, count_high: int) -> int:
    _little(target, at, _DROP_COUNT, 2)
    _little(target, at + 2, 8, 2)
    _little(target, at + 4, count_low, 4)
    _little(target, at + 8, count_high, 4)
    return at + 12


@compiled
def _keep_packet_options(source: Buffer, target: Buffer, at: int, end: int, big: bool, put: int) -> int:
    """The direction and drops that the options show; comments, hashes and verdicts go. Where the block ends."""
    first = put
    flags_seen, drops_seen = False, False
    while at + 4 <= end:
        code, length = file16(source, at, big), file16(source, at + 2, big)
        if code == 0 or at + 4 + length > end:
            break
        if code == _FLAGS and length == 4 and not flags_seen:
            flags_seen = True
            _little(target, put, _FLAGS, 2)
            _little(target, put + 2, 4, 2)
            _little(target, put + 4, file32(source, at + 4, big) & 0x3, 4)  # no more than in or out
            put += 8
        elif code == _DROP_COUNT and length == 8 and not drops_seen:
            drops_seen = True
            low, high = (at + 8, at + 4) if big else (at + 4, at + 8)
            put = _put_drops(target, put, file32(source, low, big), file32(source, high, big))
        at += 4 + ((length + 3) & ~3)
    return put + 4 if put > first else put


@compiled
def _simple(a: Anonymiser, source: Buffer, target: Buffer, at: int, big: bool, chosen: Buffer) -> int:
    """A packet without a time, of interface 0."""
    work = a.work[0]
    interface, begin = a.interfaces[0], work.written
    original = file32(source, at + 8, big)
    captured = min(original, file32(source, at + 4, big) - 16)
    if interface.snap_length > 0:
        captured = min(captured, interface.snap_length)
    if not _room(target, begin, captured):
        return TARGET_FULL
    _little(target, begin, _SIMPLE, 4)
    _little(target, begin + 8, original, 4)
    reason = _packet(a, source, target, at + 12, captured, original, interface.link, chosen, begin + 12)
    if reason == _GO_ON:
        work.written = _close(target, begin, begin + 12 + ((captured + 3) & ~3))
    return reason


@compiled
def _timed(a: Anonymiser, source: Buffer, target: Buffer, at: int, big: bool, chosen: Buffer) -> int:
    """An enhanced packet block, or the obsolete one that came before it."""
    work = a.work[0]
    begin = work.written
    is_enhanced = file32(source, at, big) == _ENHANCED
    number = file32(source, at + 8, big) if is_enhanced else file16(source, at + 8, big)
    length, captured = file32(source, at + 4, big), file32(source, at + 20, big)
    if number >= work.interfaces or _HEAD + captured + _TAIL > length:
        return DAMAGED
    if not _room(target, begin, captured):
        return TARGET_FULL
    original = file32(source, at + 24, big)
    high, low = file32(source, at + 12, big), file32(source, at + 16, big)
    _enhanced_head(target, begin, number, high, low, captured, original)
    link = a.interfaces[number].link
    reason = _packet(a, source, target, at + _HEAD, captured, original, link, chosen, begin + _HEAD)
    if reason != _GO_ON:
        return reason
    end = begin + _HEAD + ((captured + 3) & ~3)
    options = at + _HEAD + ((captured + 3) & ~3)
    if is_enhanced:
        end = _keep_packet_options(source, target, options, at + length - _TAIL, big, end)
    elif file16(source, at + 10, big) not in (0, _DROPS_UNKNOWN):
        end = _put_drops(target, end, file16(source, at + 10, big), np.int64(0)) + 4
    work.written = _close(target, begin, end)
    return reason


@_entry
def anonymise_pcapng(
    source: Buffer, big: bool, limit: int, memory: Record, chosen: Buffer, target: Buffer
) -> None:
    """Packet blocks of a pcapng file; stops at any other block, which Python reads."""
    a = memory[0]
    work = a.work[0]
    reason = _GO_ON
    while reason == _GO_ON:
        at = work.position
        reason = _block_reason(source, at, big, limit)
        if reason == _GO_ON and work.notes >= NOTES:
            reason = NOTES_FULL
        if reason == _GO_ON and file32(source, at, big) == _SIMPLE:
            reason = _simple(a, source, target, at, big, chosen) if work.interfaces else DAMAGED
        elif reason == _GO_ON:
            reason = _timed(a, source, target, at, big, chosen)
        if reason == _GO_ON:
            work.position = at + file32(source, at + 4, big)
    work.reason = reason


@_entry
def learn_addresses(memory: Record) -> None:
    """Puts the wanted addresses, which have got those that stand for them, into the table."""
    a = memory[0]
    work = a.work[0]
    for number in range(work.wanted):
        wanted = a.wanted[number]
        slot = a.slots[slot_of(a, wanted.kind, wanted.high, wanted.low)]
        if slot.kind == 0:
            slot.kind, slot.high, slot.low = wanted.kind, wanted.high, wanted.low
            slot.new_high, slot.new_low = wanted.new_high, wanted.new_low
            work.slots += 1

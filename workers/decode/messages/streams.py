"""The segments of a talk in the order of their bytes: what is seen twice, out of order, or never."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from workers.decode.loop.compiler import apart, compiled, inlined
from workers.decode.loop.message_records import (
    BODY,
    CHUNK,
    DNS,
    IDLE,
    LINE_BYTES,
    OPAQUE,
    SCRATCH_BYTES,
    STASH_BYTES,
    STASHED_AT_MOST,
    TLS,
    UNTIL_END,
    Memory,
)
from workers.decode.loop.octets import Buffer, after, big16
from workers.decode.loop.records import Record
from workers.decode.messages.dns import read_dns
from workers.decode.messages.exchanges import cut_message, end_message
from workers.decode.messages.http import take_cut_line, take_http
from workers.decode.messages.http_head import begins_message
from workers.decode.messages.rows import free_scratch, free_stash, keep, new_stash, out_of_room
from workers.decode.messages.stream_states import await_message, claim_scratch, lose
from workers.decode.messages.tls import begins_hello, is_alert, read_alert, read_hello, record_bytes

_DNS_PREFIX = 2
_SMALLEST_DNS = 12


@inlined
def _take_framed(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> int:
    """Bytes of a TLS ClientHello or of a DNS message over TCP, which show their length at the beginning."""
    record = m.streams[stream]
    prefix = 5 if record.mode == TLS else _DNS_PREFIX
    claim_scratch(m, stream)
    base = (record.scratch - 1) * SCRATCH_BYTES
    count = 0
    if record.kept < prefix:
        count = min(end - at, prefix - record.kept)
        keep(m, stream, buffer, at, at + count)
        if record.kept < prefix:
            return count
    whole = record_bytes(m.scratch, base) if record.mode == TLS else 2 + big16(m.scratch, base)
    more = min(end - at - count, whole - np.int64(record.kept))
    keep(m, stream, buffer, at + count, at + count + more)
    if record.kept == whole:
        _end_framed(m, stream, base, whole)
    return count + more


@inlined
def _end_framed(m: Memory, stream: int, base: int, whole: int) -> None:
    record, talk = m.streams[stream], m.talks[stream // 2]
    end = base + min(whole, LINE_BYTES)
    if record.mode == TLS:
        read_hello(m, stream, m.scratch, base, end)
        free_scratch(m, stream)
        record.mode = OPAQUE
        return
    read = read_dns(
        m, talk.connection - 1, talk.vantage, m.scratch, base + _DNS_PREFIX, end,
        whole - _DNS_PREFIX, True, True,
    )  # fmt: skip
    free_scratch(m, stream)
    if not read:
        m.states[0].malformed_dns += 1
        record.mode = IDLE


@inlined
def _begin(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> bool:
    """At the first byte of a segment of a stream in an unknown state: chooses what it is, if anything."""
    record, state = m.streams[stream], m.states[0]
    record.begin_ns, record.begin_frame = state.time_ns, state.frame
    if begins_hello(buffer, at, end):
        record.mode, record.kept = TLS, 0
    elif is_alert(buffer, at, end):
        read_alert(m, stream, buffer, at)
        return False
    elif m.talks[stream // 2].is_dns:
        if end - at >= 2 and big16(buffer, at) < _SMALLEST_DNS:
            return False
        record.mode, record.kept = DNS, 0
    elif begins_message(buffer, at, end):
        await_message(m, stream)
    else:
        return False
    return True


@inlined
def _consume(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> bool:
    """Takes the bytes that come next; False when the filled rows need room first."""
    record, state = m.streams[stream], m.states[0]
    while at < end:
        if record.mode in (TLS, DNS):
            if (out_of_room(state.tls) or out_of_room(state.dns)) and not state.hurry:
                state.full = 1
                return False
            count = _take_framed(m, stream, buffer, at, end)
            at += count
            record.next = (np.int64(record.next) + count) & 0xFFFFFFFF
        elif record.mode in (IDLE, OPAQUE):
            return True
        else:
            at += take_http(m, stream, buffer, at, end)
            if state.full:
                return False
    return True


@compiled
def _skips(m: Memory, stream: int, count: int) -> bool:
    """Whether `count` bytes need not be seen: they lie within a body that nobody looks at. Counts them."""
    record = m.streams[stream]
    if record.mode == OPAQUE:
        return True
    if record.scan and record.scan_left > 0:
        return False
    if record.mode == UNTIL_END:
        record.bytes += count
        return True
    if record.mode not in (BODY, CHUNK) or record.left <= count:
        return False
    record.left -= count
    record.bytes += count
    return True


@inlined
def _read_cut_hello(m: Memory, stream: int) -> None:
    """What the snap length left of a ClientHello."""
    record = m.streams[stream]
    if record.kept > 0:
        base = (record.scratch - 1) * SCRATCH_BYTES
        read_hello(m, stream, m.scratch, base, base + min(np.int64(record.kept), LINE_BYTES))


@compiled
def _read_at_place(m: Memory, stream: int, buffer: Buffer, at: int, held: int, size: int) -> bool:
    """A segment whose first byte is the next one: `held` of its `size` bytes were captured."""
    apart()
    record = m.streams[stream]
    end_sequence = (np.int64(record.next) + size) & 0xFFFFFFFF
    if record.mode == IDLE and not (held > 0 and _begin(m, stream, buffer, at, at + held)):
        record.next = end_sequence
        return True
    if not _consume(m, stream, buffer, at, at + held):
        return False
    missing = after(end_sequence, record.next)
    if missing > 0 and record.mode == TLS:
        _read_cut_hello(m, stream)
    if missing > 0:
        take_cut_line(m, stream)
    if missing > 0 and record.mode != IDLE and not _skips(m, stream, missing):
        lose(m, stream, end_sequence)
    record.next = end_sequence
    return True


@compiled
def _read_stashed(m: Memory, stream: int, may_jump: bool) -> None:
    """Reads the segments that wait for their turn; `may_jump`: over what is missing before the first, too."""
    apart()
    record, state = m.streams[stream], m.states[0]
    time_ns, frame, acknowledgement = state.time_ns, state.frame, state.acknowledgement
    state.hurry = 1
    while record.first_stash > 0:
        number = np.int64(record.first_stash)
        stash = m.stashes[number - 1]
        ahead = after(stash.sequence, record.next)
        if ahead > 0:
            if not may_jump:
                break
            if not _skips(m, stream, ahead):
                lose(m, stream)
            record.next = stash.sequence
            ahead = 0
        record.first_stash = stash.next
        record.stashed -= 1
        old = -ahead
        if old < stash.wire_bytes:
            state.time_ns, state.frame = stash.time_ns, stash.frame
            state.acknowledgement = stash.acknowledgement
            base = (number - 1) * STASH_BYTES
            held = max(0, stash.bytes - old)
            _read_at_place(m, stream, m.stash, base + old, held, stash.wire_bytes - old)
        free_stash(m, number)
    state.hurry = 0
    state.time_ns, state.frame, state.acknowledgement = time_ns, frame, acknowledgement


@inlined
def _stash(m: Memory, stream: int, sequence: int, buffer: Buffer, at: int, held: int, size: int) -> bool:
    """Puts a segment aside, in order of its bytes; False when there is no room."""
    record, state = m.streams[stream], m.states[0]
    if record.stashed >= STASHED_AT_MOST or held > STASH_BYTES:
        return False
    number = new_stash(m)
    if number == 0:
        return False
    stash = m.stashes[number - 1]
    stash.sequence, stash.acknowledgement = sequence, state.acknowledgement
    stash.bytes, stash.wire_bytes = held, size
    stash.time_ns, stash.frame = state.time_ns, state.frame
    for i in range(held):
        m.stash[(number - 1) * STASH_BYTES + i] = buffer[at + i]
    before, following = 0, np.int64(record.first_stash)
    while following > 0 and after(m.stashes[following - 1].sequence, sequence) <= 0:
        before, following = following, np.int64(m.stashes[following - 1].next)
    stash.next = following
    if before == 0:
        record.first_stash = number
    else:
        m.stashes[before - 1].next = number
    record.stashed += 1
    return True


@compiled
def give_up_gap(m: Memory, stream: int) -> None:
    """What is missing before the stashed segments will not come any more."""
    if m.streams[stream].first_stash > 0:
        _read_stashed(m, stream, True)


@compiled
def _is_acknowledged_unseen(m: Memory, stream: int, acknowledgement: int) -> bool:
    """Whether the other side acknowledges bytes of `stream` that were not seen."""
    record = m.streams[stream]
    return record.known != 0 and acknowledgement != 0 and after(acknowledgement, record.next) > 0


@inlined
def _heed_acknowledgement(m: Memory, packet: Record, stream: int) -> None:
    """What the receiver has, and the capture has not, will not come any more."""
    acknowledgement = np.int64(packet.acknowledgement)
    if _is_acknowledged_unseen(m, stream, acknowledgement):
        give_up_gap(m, stream)
        if _is_acknowledged_unseen(m, stream, acknowledgement):
            m.talks[stream // 2].unsure = 1


@inlined
def _reach(m: Memory, stream: int, sequence: int, buffer: Buffer, at: int, held: int, size: int) -> int:
    """Bytes of the segment that were seen before; -1 when it has to wait for others."""
    record = m.streams[stream]
    ahead = after(sequence, record.next)
    if ahead > 0 and not _skips(m, stream, ahead):
        if _stash(m, stream, sequence, buffer, at, held, size):
            return -1
        give_up_gap(m, stream)
        ahead = after(sequence, record.next)
        if ahead > 0:
            lose(m, stream)
    if ahead > 0:
        record.next = sequence
        return 0
    return -ahead


@inlined
def take_segment(
    m: Memory, packet: Record, stream: int, expected: int, buffer: Buffer, at: int, held: int
) -> bool:
    """One segment of a stream, of which `held` bytes were captured. `expected`: the sequence number to begin with
    where it is known, else -1. False when the filled rows need room first: then it is to be given again."""
    record = m.streams[stream]
    size, sequence = np.int64(packet.payload_bytes), np.int64(packet.sequence)
    _heed_acknowledgement(m, packet, stream ^ 1)
    if not record.known:
        record.known = 1
        record.next = sequence if expected < 0 else expected
    old = _reach(m, stream, sequence, buffer, at, held, size)
    if old < 0 or old >= size:
        return True
    if not _read_at_place(m, stream, buffer, at + old, max(0, held - old), size - old):
        return False
    if record.first_stash > 0:
        _read_stashed(m, stream, False)
    return True


@inlined
def end_stream(m: Memory, packet: Record, stream: int) -> None:
    """Its sender closed: a response that lasts until then is complete, anything else is not."""
    record = m.streams[stream]
    end_sequence = (np.int64(packet.sequence) + np.int64(packet.payload_bytes)) & 0xFFFFFFFF
    if record.known and after(end_sequence, record.next) > 0:
        return  # it overtook other segments
    if record.mode == UNTIL_END:
        end_message(m, stream)
    drop_message(m, stream)


@compiled
def drop_message(m: Memory, stream: int) -> None:
    """The stream ends within a message, if it is in one."""
    apart()
    record = m.streams[stream]
    if record.exchange > 0 or record.kept > 0:
        cut_message(m, stream, -1)
        free_scratch(m, stream)
        record.mode = IDLE

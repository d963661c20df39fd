"""HTTP/1 messages out of the bytes of a stream: lines, bodies, chunks (RFC 9112).

Bytes come in any portions; only an unfinished line is kept between two segments.
"""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

import numpy as np

from backend.forensics.connections import NEVER
from backend.forensics.messages import HELD_CREDENTIALS, UNTIL_CLOSE
from workers.decode.loop.compiler import apart, compiled, inlined
from workers.decode.loop.credential_signs import (
    LOOKED_AT_BYTES,
    LOOKED_AT_PLAIN_BYTES,
    holds_credential_word,
)
from workers.decode.loop.message_records import (
    BODY,
    CHUNK,
    CHUNK_END,
    CHUNK_SIZE,
    INFORMATIONAL,
    LINE,
    METHOD,
    METHOD_CONNECT,
    METHOD_HEAD,
    REQUEST,
    RESPONSE,
    TRAILER,
    UNTIL_END,
    Memory,
)
from workers.decode.loop.octets import Buffer
from workers.decode.messages.credentials_body import answers_credentials, begin_scan, scan_body
from workers.decode.messages.exchanges import end_message, open_request, open_response
from workers.decode.messages.http_head import (
    begins_message,
    is_response,
    put_path,
    read_header,
    status_of,
    target_of,
)
from workers.decode.messages.rows import (
    free_scratch,
    joined_line,
    keep,
    out_of_room,
    put_text,
)
from workers.decode.messages.stream_states import await_message, be_opaque, claim_scratch, close_message, lose
from workers.decode.messages.text import SPACE, contains, find, hexadecimal, is_word

_LINE_FEED, _CARRIAGE_RETURN, _SLASH = 10, 13, 47
_LONGEST_START: Final = 16 << 10
"""A first line longer than any server accepts is none."""
_HEAD: Final = np.frombuffer(b"head ", np.uint8)
_CONNECT: Final = np.frombuffer(b"connect ", np.uint8)


@inlined
def _request_line(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> bool:
    first, last = target_of(buffer, at, end)
    if first < 0:
        return False
    record = m.streams[stream]
    record.message = REQUEST
    exchange = open_request(m, stream // 2, stream)
    record.exchange = exchange + 1
    link = m.links[exchange]
    if contains(buffer, at, min(end, at + _HEAD.size), _HEAD):
        link.method = METHOD_HEAD
    elif contains(buffer, at, min(end, at + _CONNECT.size), _CONNECT):
        link.method = METHOD_CONNECT
    link.scan = 1 if answers_credentials(buffer, first, last) else 0
    put_text(m, exchange, METHOD, buffer, at, first - 1)
    put_path(m, exchange, buffer, first, last)
    return True


@compiled
def _status_line(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> bool:
    status = status_of(buffer, at, end)
    if status < 0:
        return False
    record = m.streams[stream]
    if status < 200 and status != 101:
        record.message = INFORMATIONAL
        return True
    record.message = RESPONSE
    exchange = open_response(m, stream // 2, stream)
    record.exchange = exchange + 1
    m.exchanges[exchange].status = status
    return True


@inlined
def _end_of_request_head(m: Memory, stream: int) -> None:
    record = m.streams[stream]
    record.look_left = LOOKED_AT_BYTES
    if record.chunked:
        record.mode = CHUNK_SIZE
    elif record.length > 0:
        record.mode, record.left = BODY, record.length
    else:
        close_message(m, stream)


@inlined
def _begin_body(m: Memory, stream: int, exchange: int) -> None:
    record = m.streams[stream]
    record.look_left = LOOKED_AT_BYTES
    if record.chunked:
        record.mode = CHUNK_SIZE
    elif record.length >= 0:
        record.mode, record.left = BODY, record.length
    else:
        record.mode = UNTIL_END
        m.exchanges[exchange].marks |= UNTIL_CLOSE
    if m.links[exchange].scan:
        claim_scratch(m, stream)
        begin_scan(m, stream)
    else:
        free_scratch(m, stream)
    if record.mode == BODY and record.left == 0:
        close_message(m, stream)


@inlined
def _end_of_response_head(m: Memory, stream: int) -> None:
    record = m.streams[stream]
    if record.message == INFORMATIONAL:
        await_message(m, stream)
        return
    exchange = np.int64(record.exchange) - 1
    status, method = m.exchanges[exchange].status, m.links[exchange].method
    if status == 101 or (method == METHOD_CONNECT and status < 300):
        end_message(m, stream)
        be_opaque(m, stream)
    elif method == METHOD_HEAD or status in (204, 304):
        close_message(m, stream)
    else:
        _begin_body(m, stream, exchange)


@inlined
def _head_line(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> None:
    record = m.streams[stream]
    record.lines += 1
    if at < end:
        read_header(m, stream, buffer, at, end)
    elif record.bad_length and not record.chunked:
        lose(m, stream)
    elif record.message == REQUEST:
        _end_of_request_head(m, stream)
    else:
        _end_of_response_head(m, stream)


@inlined
def _first_line(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> None:
    record = m.streams[stream]
    if at == end:  # an empty line before a request is to be ignored (RFC 9112 section 2.2)
        record.bytes = 0
        return
    if is_response(buffer, at, end):
        understood = _status_line(m, stream, buffer, at, end)
    else:
        understood = _request_line(m, stream, buffer, at, end)
    if understood:
        record.lines = 1
    else:
        lose(m, stream)


@inlined
def _chunk_line(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> None:
    record = m.streams[stream]
    if record.mode == CHUNK_END:
        record.mode = CHUNK_SIZE
        if at != end:
            lose(m, stream)
    elif record.mode == TRAILER:
        if at == end:
            close_message(m, stream)
    else:
        size = hexadecimal(buffer, at, end)
        if size == NEVER:
            lose(m, stream)
        else:
            record.mode, record.left = (CHUNK, size) if size > 0 else (TRAILER, 0)


@compiled
def _take_cut_request(m: Memory, stream: int, at: int, end: int) -> None:
    """``GET /latest/meta-da``: the method and as much of the target as was captured."""
    first = find(m.scratch, at, end, SPACE) + 1
    if first < 2 or first >= end or m.scratch[first] != _SLASH:
        return
    last = find(m.scratch, first, end, SPACE)
    record = m.streams[stream]
    record.message = REQUEST
    exchange = open_request(m, stream // 2, stream)
    record.exchange = exchange + 1
    put_text(m, exchange, METHOD, m.scratch, at, first - 1)
    put_path(m, exchange, m.scratch, first, last if last > 0 else end)


@compiled
def take_cut_line(m: Memory, stream: int) -> None:
    """What the snap length left of a first line that is longer, before the rest of the message is given up."""
    record = m.streams[stream]
    if record.mode != LINE or record.lines > 0 or record.kept == 0:
        return
    first, end = joined_line(m, stream)
    if is_response(m.scratch, first, end):
        _status_line(m, stream, m.scratch, first, end)
    else:
        _take_cut_request(m, stream, first, end)


@compiled
def _end_line(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> None:
    """A whole line, its line feed left out."""
    apart()
    record = m.streams[stream]
    if end > at and buffer[end - 1] == _CARRIAGE_RETURN:
        end -= 1
    if record.mode != LINE:
        _chunk_line(m, stream, buffer, at, end)
    elif record.lines == 0:
        _first_line(m, stream, buffer, at, end)
    else:
        _head_line(m, stream, buffer, at, end)


@inlined
def _keep_line(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> None:
    record = m.streams[stream]
    if record.mode == LINE and record.lines == 0 and record.kept > _LONGEST_START:
        lose(m, stream)
    else:
        claim_scratch(m, stream)
        keep(m, stream, buffer, at, end)


@inlined
def _begin(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> bool:
    """At the first byte of a message: notes when and where; False when it does not look like one."""
    record, state = m.streams[stream], m.states[0]
    if buffer[at] not in (_LINE_FEED, _CARRIAGE_RETURN) and not begins_message(buffer, at, end):
        lose(m, stream)
        return False
    record.begin_ns, record.begin_frame = state.time_ns, state.frame
    record.begin_sequence = record.next
    record.begin_acknowledgement = state.acknowledgement
    return True


@inlined
def _take_line(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> int:
    """Takes bytes to the end of the line, or all when it ends later; returns how many."""
    record = m.streams[stream]
    feed = find(buffer, at, end, _LINE_FEED)
    if feed < 0:
        record.bytes += end - at
        _keep_line(m, stream, buffer, at, end)
        return end - at
    record.bytes += feed + 1 - at
    if record.kept == 0:
        _end_line(m, stream, buffer, at, feed)
        return feed + 1 - at
    keep(m, stream, buffer, at, feed)
    first, last = joined_line(m, stream)
    record.kept = 0
    _end_line(m, stream, m.scratch, first, last)
    return feed + 1 - at


@compiled
def _look_at_body(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> None:
    """In the next bytes at the beginning of a body."""
    apart()
    record = m.streams[stream]
    is_first = record.look_left == LOOKED_AT_BYTES
    if is_first and record.message == RESPONSE and at < end and is_word(buffer[at]):
        record.look_left = LOOKED_AT_PLAIN_BYTES
    count: int = min(end - at, np.int64(record.look_left))
    record.look_left -= count
    exchange = np.int64(record.exchange) - 1
    if exchange >= 0 and holds_credential_word(buffer, at, at + count):
        m.exchanges[exchange].marks |= HELD_CREDENTIALS
        record.look_left = 0


@inlined
def _take_body(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> int:
    record = m.streams[stream]
    count: int = min(end - at, np.int64(record.left))
    if record.scan:
        scan_body(m, stream, buffer, at, at + count)
    if record.look_left > 0:
        _look_at_body(m, stream, buffer, at, at + count)
    record.bytes += count
    record.left -= count
    if record.left == 0:
        if record.mode == CHUNK:
            record.mode = CHUNK_END
        else:
            close_message(m, stream)
    return count


@inlined
def _take_rest(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> int:
    """Bytes that say nothing about where messages are."""
    record = m.streams[stream]
    if record.mode == UNTIL_END:
        record.bytes += end - at
        if record.scan:
            scan_body(m, stream, buffer, at, end)
        if record.look_left > 0:
            _look_at_body(m, stream, buffer, at, end)
    return end - at


@inlined
def _must_wait(m: Memory) -> bool:
    """Whether a message begins and there is no room for its row."""
    state = m.states[0]
    state.full = 1 if out_of_room(state.http) and not state.hurry else 0
    return state.full != 0


@inlined
def take_http(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> int:
    """Takes the stream's next bytes; returns how many, fewer than given when the filled rows need room."""
    record = m.streams[stream]
    start = at
    while at < end:
        if record.mode == LINE and record.lines == 0 and record.kept == 0:
            if _must_wait(m):
                break
            if not _begin(m, stream, buffer, at, end):
                return end - start
        if record.mode in (LINE, CHUNK_SIZE, CHUNK_END, TRAILER):
            count = _take_line(m, stream, buffer, at, end)
        elif record.mode in (BODY, CHUNK):
            count = _take_body(m, stream, buffer, at, end)
        else:
            count = _take_rest(m, stream, buffer, at, end)
        at += count
        record.next = (np.int64(record.next) + count) & 0xFFFFFFFF
    return at - start

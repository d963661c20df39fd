"""Request lines, status lines and headers of HTTP/1 (RFC 9112)."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from itertools import accumulate
from typing import Final

import numpy as np

from backend.forensics.connections import NEVER
from backend.forensics.messages import (
    CHUNKED,
    CLOSES,
    HELD_CREDENTIALS,
    REQUEST_SEEN,
    SENT_AUTHORIZATION,
    SENT_TOKEN,
)
from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.message_records import (
    EXCHANGE_TEXT_BYTES,
    HOST,
    LOCATION,
    PATH,
    REQUEST,
    REQUEST_ID,
    RESPONSE,
    SERVER,
    TEXT_LIMITS,
    TEXT_PLACES,
    TRACEPARENT,
    USER_AGENT,
    Memory,
)
from workers.decode.loop.octets import Buffer
from workers.decode.messages.rows import put_text
from workers.decode.messages.text import (
    COLON,
    SPACE,
    TAB,
    contains,
    decimal,
    find,
    holds,
    http_date,
    is_digit,
    is_word,
    lower,
    printable,
)

_STARTS: Final = (b"HTTP/1.", b"GET ", b"POST ", b"PUT ", b"HEAD ", b"DELETE ", b"PATCH ", b"OPTIONS ",
                  b"CONNECT ", b"TRACE ", b"PROPFIND ", b"REPORT ", b"MKCOL ", b"SEARCH ")  # fmt: skip
_START_BYTES: Final = np.frombuffer(b"".join(_STARTS), np.uint8)
_START_PLACES: Final = np.array([0, *accumulate(map(len, _STARTS))], np.int64)

_HEADERS: Final = (
    b"host", b"user-agent", b"content-length", b"transfer-encoding", b"connection", b"date", b"server",
    b"location", b"retry-after", b"x-request-id", b"traceparent", b"x-aws-ec2-metadata-token-ttl-seconds",
    b"x-aws-ec2-metadata-token", b"authorization", b"content-encoding",
)  # fmt: skip
(
    _HOST, _USER_AGENT, _CONTENT_LENGTH, _TRANSFER_ENCODING, _CONNECTION, _DATE, _SERVER, _LOCATION,
    _RETRY_AFTER, _REQUEST_ID, _TRACEPARENT, _TOKEN_TTL, _TOKEN, _AUTHORIZATION,
    _CONTENT_ENCODING,
) = range(15)  # fmt: skip
_SECRET_ENDS: Final = (
    b"token", b"authorization", b"cookie", b"secret", b"api-key", b"signature", b"credential", b"credentials",
    b"password", b"session-id", b"metadata", b"metadata-flavor", b"identity-header",
)  # fmt: skip
"""How names of headers end that carry credentials, or that only metadata services want."""
_SECRET_BYTES: Final = np.frombuffer(b"".join(_SECRET_ENDS), np.uint8)
_SECRET_PLACES: Final = np.array([0, *accumulate(map(len, _SECRET_ENDS))], np.int64)
_SHORTEST_SECRET: Final = min(map(len, _SECRET_ENDS))
_SECRET_LAST: Final = np.zeros(1024, np.bool_)
"""By the last two letters of a name, 5 bits each: whether one of them ends so."""
for _end in _SECRET_ENDS:
    _SECRET_LAST[(_end[-2] & 31) << 5 | _end[-1] & 31] = True
_HEADER_BYTES: Final = np.frombuffer(b"".join(_HEADERS), np.uint8)
_HEADER_PLACES: Final = np.array([0, *accumulate(map(len, _HEADERS))], np.int64)
_CLOSE: Final = np.frombuffer(b"close", np.uint8)
_CHUNKED: Final = np.frombuffer(b"chunked", np.uint8)
_VERSION: Final = np.frombuffer(b"http/1.", np.uint8)
_SLASH, _QUESTION, _HASH, _EQUALS, _SEMICOLON, _AND, _AT, _STAR = 47, 63, 35, 61, 59, 38, 64, 42
_LONGEST_NAME: Final = 64
_LONGEST_BARE: Final = 16


@compiled
def begins_message(buffer: Buffer, at: int, end: int) -> bool:
    """Whether the bytes are how an HTTP/1 message begins, as far as they go (at least one)."""
    apart()
    for word in range(_START_PLACES.size - 1):
        start = _START_PLACES[word]
        count = min(_START_PLACES[word + 1] - start, end - at)
        same = True
        for i in range(count):
            if buffer[at + i] != _START_BYTES[start + i]:
                same = False
                break
        if same:
            return True
    return False


@compiled
def is_response(buffer: Buffer, at: int, end: int) -> bool:
    """Whether a first line is a status line's."""
    return (
        end - at >= 7 and buffer[at] == 72 and buffer[at + 4] == _SLASH and holds(buffer, at, end, _VERSION)
    )


@compiled
def status_of(buffer: Buffer, at: int, end: int) -> int:
    """The code of ``HTTP/1.1 200 OK``, or -1."""
    if end - at < 12 or not is_digit(buffer[at + 7]) or buffer[at + 8] != SPACE:
        return -1
    if end - at > 12 and buffer[at + 12] != SPACE:
        return -1
    status = decimal(buffer, at + 9, at + 12)
    return status if 100 <= status <= 599 else -1


@compiled
def target_of(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    """(first byte, end) of the target in ``GET /path HTTP/1.1``; (-1, -1) when this is no request line."""
    apart()
    first = find(buffer, at, end, SPACE) + 1
    last = end - 9
    if first < 2 or first >= last or buffer[last] != SPACE or not holds(buffer, last + 1, end, _VERSION):
        return -1, -1
    for i in range(at, first - 1):
        if not (65 <= buffer[i] <= 90 or buffer[i] in (45, 95)):
            return -1, -1
    for i in range(first, last):
        if buffer[i] <= SPACE:
            return -1, -1
    return first, last


@compiled
def _hides_value(byte: int, in_query: bool) -> bool:
    return byte == _EQUALS or (not in_query and byte == _SEMICOLON)


@compiled
def _ends_value(byte: int, in_query: bool) -> bool:
    return byte in (_AND, _SEMICOLON) or (not in_query and byte in (_SLASH, _QUESTION))


@compiled
def _shows_name(buffer: Buffer, at: int, end: int) -> bool:
    """Whether a parameter's name may be shown: a bare word is shown only when it cannot be a key itself."""
    i = at
    while i < end and buffer[i] not in (_EQUALS, _AND, _SEMICOLON):
        if not is_word(buffer[i]) and buffer[i] not in (91, 93):
            return False
        i += 1
    has_value = i < end and buffer[i] == _EQUALS
    if has_value:
        return i - at <= _LONGEST_NAME
    for j in range(at, i):
        if is_digit(buffer[j]):
            return False
    return i - at <= _LONGEST_BARE


@compiled
def _is_port(buffer: Buffer, at: int, end: int) -> bool:
    """Whether digits alone stand between a colon and the end of an authority."""
    while at < end and is_digit(buffer[at]):
        at += 1
    return at == end or buffer[at] in (_SLASH, _QUESTION, _HASH)


@compiled
def _after_user(buffer: Buffer, at: int, end: int) -> int:
    """Where the host begins when ``//`` stands at at - 2: behind ``user:password@``. A password may hold a slash,
    though it must not (RFC 3986 section 3.2.1)."""
    i = at
    host = at
    has_password = False
    while i < end and buffer[i] not in (_QUESTION, _HASH):
        if buffer[i] == _SLASH and not has_password:
            break
        if buffer[i] == _AT:
            host = i + 1
        elif buffer[i] == COLON and not _is_port(buffer, i + 1, end):
            has_password = True
        i += 1
    return host


@compiled
def put_target(m: Memory, exchange: int, column: int, buffer: Buffer, at: int, end: int) -> None:
    """Sets a path or URL without what may be secret: values behind ``=``, user and password, fragments."""
    apart()
    base = exchange * EXCHANGE_TEXT_BYTES + TEXT_PLACES[column]
    limit = TEXT_LIMITS[column]
    used = 0
    in_query, hidden = False, False
    i = at
    while i < end and used + 2 <= limit and buffer[i] != _HASH:
        byte = np.int64(buffer[i])
        if hidden and not _ends_value(byte, in_query):
            i += 1
            continue
        hidden = False
        m.texts[base + used] = printable(byte)
        used += 1
        i += 1
        begins_name = (byte == _QUESTION and not in_query) or (in_query and byte in (_AND, _SEMICOLON))
        in_query = in_query or byte == _QUESTION
        if _hides_value(byte, in_query) or (begins_name and not _shows_name(buffer, i, end)):
            m.texts[base + used] = _STAR
            used += 1
            hidden = True
        elif byte == _SLASH and not in_query and i - at >= 2 and buffer[i - 2] == _SLASH:
            host = _after_user(buffer, i, end)
            if host > i:
                m.exchanges[exchange].marks |= HELD_CREDENTIALS
            i = host
    m.lengths[exchange, column] = used


@compiled
def _header_number(buffer: Buffer, at: int, end: int) -> int:
    """Which of the headers that matter has this name, or -1."""
    for number in range(_HEADER_PLACES.size - 1):
        start = _HEADER_PLACES[number]
        if _HEADER_PLACES[number + 1] - start != end - at:
            continue
        same = True
        for i in range(end - at):
            if lower(buffer[at + i]) != _HEADER_BYTES[start + i]:
                same = False
                break
        if same:
            return number
    return -1


@compiled
def _is_secret(buffer: Buffer, at: int, end: int) -> bool:
    """Whether the value of a header of this name is a credential."""
    if end - at < _SHORTEST_SECRET:
        return False
    last = lower(buffer[end - 1])
    if not _SECRET_LAST[(np.int64(buffer[end - 2]) & 31) << 5 | last & 31]:
        return False
    for word in range(_SECRET_PLACES.size - 1):
        begin, stop = _SECRET_PLACES[word], _SECRET_PLACES[word + 1]
        if _SECRET_BYTES[stop - 1] != last or end - at < stop - begin:
            continue
        same = True
        for i in range(stop - begin):
            if lower(buffer[end - 1 - i]) != _SECRET_BYTES[stop - 1 - i]:
                same = False
                break
        if same:
            return True
    return False


@compiled
def _framing(m: Memory, stream: int, exchange: int, number: int, buffer: Buffer, at: int, end: int) -> None:
    """Headers that say where the message ends."""
    record = m.streams[stream]
    if number == _CONTENT_LENGTH:
        length = decimal(buffer, at, end)
        if length == NEVER or (record.length >= 0 and record.length != length):
            record.bad_length = 1
        else:
            record.length = length
    elif number == _TRANSFER_ENCODING:
        if holds(buffer, max(at, end - _CHUNKED.size), end, _CHUNKED):
            record.chunked = 1
            if record.message == RESPONSE and exchange >= 0:
                m.exchanges[exchange].marks |= CHUNKED
        else:
            record.bad_length = 1
    elif exchange >= 0 and contains(buffer, at, end, _CLOSE):
        m.exchanges[exchange].marks |= CLOSES


@compiled
def _request_header(m: Memory, exchange: int, number: int, buffer: Buffer, at: int, end: int) -> None:
    if number == _HOST:
        put_text(m, exchange, HOST, buffer, at, end)
    elif number == _USER_AGENT:
        put_text(m, exchange, USER_AGENT, buffer, at, end)
    elif number == _TRACEPARENT:
        put_text(m, exchange, TRACEPARENT, buffer, at, end)
    elif number == _TOKEN:
        m.exchanges[exchange].marks |= SENT_TOKEN
    elif number == _AUTHORIZATION:
        m.exchanges[exchange].marks |= SENT_AUTHORIZATION


@compiled
def _response_header(m: Memory, exchange: int, number: int, buffer: Buffer, at: int, end: int) -> None:
    record = m.exchanges[exchange]
    if number == _DATE:
        record.date_s = http_date(buffer, at, end)
    elif number == _SERVER:
        put_text(m, exchange, SERVER, buffer, at, end)
    elif number == _LOCATION:
        put_target(m, exchange, LOCATION, buffer, at, end)
    elif number == _CONTENT_ENCODING and not record.marks & REQUEST_SEEN:
        record.marks |= HELD_CREDENTIALS  # nobody knows what was asked for, and no word in the body can show
    elif number == _RETRY_AFTER:
        record.retry_after_s = decimal(buffer, at, end)


@compiled
def _header_of_exchange(
    m: Memory, message: int, exchange: int, number: int, buffer: Buffer, at: int, end: int
) -> None:
    if number == _REQUEST_ID:
        put_text(m, exchange, REQUEST_ID, buffer, at, end)
    elif number == _TOKEN_TTL:
        m.exchanges[exchange].token_ttl_s = decimal(buffer, at, end)
    elif message == REQUEST:
        _request_header(m, exchange, number, buffer, at, end)
    else:
        _response_header(m, exchange, number, buffer, at, end)


@compiled
def _value_of(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    """(first byte, end) without the blanks around it."""
    while at < end and buffer[at] in (SPACE, TAB):
        at += 1
    while at < end and buffer[end - 1] in (SPACE, TAB):
        end -= 1
    return at, end


@compiled
def read_header(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> None:
    """One header line, without its line end."""
    apart()
    colon = find(buffer, at, min(end, at + _LONGEST_NAME), COLON)
    if colon <= at:
        return
    record = m.streams[stream]
    exchange = np.int64(record.exchange) - 1
    if exchange >= 0 and _is_secret(buffer, at, colon):
        m.exchanges[exchange].marks |= HELD_CREDENTIALS
    number = _header_number(buffer, at, colon)
    if number < 0:
        return
    at, end = _value_of(buffer, colon + 1, end)
    if number in (_CONTENT_LENGTH, _TRANSFER_ENCODING, _CONNECTION):
        _framing(m, stream, exchange, number, buffer, at, end)
    elif exchange >= 0:
        _header_of_exchange(m, record.message, exchange, number, buffer, at, end)


@compiled
def put_path(m: Memory, exchange: int, buffer: Buffer, at: int, end: int) -> None:
    """Sets the path of a request."""
    put_target(m, exchange, PATH, buffer, at, end)

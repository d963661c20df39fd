"""TLS ClientHello and alerts in the clear (RFC 8446)."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

import numpy as np

from backend.forensics.messages import ALERT, HELLO
from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.message_records import BATCH, TEXT_LIMITS, TEXT_PLACES, TLS_ALPN, TLS_NAME, Memory
from workers.decode.loop.octets import Buffer, big16
from workers.decode.messages.rows import put_row_text
from workers.decode.messages.text import printable

_HANDSHAKE, _ALERT_RECORD, _CLIENT_HELLO = 22, 21, 1
_SERVER_NAME, _ALPN, _VERSIONS = 0, 16, 43
_RECORD_HEADER: Final = 5
_MOST_EXTENSIONS: Final = 64


@compiled
def record_bytes(buffer: Buffer, at: int) -> int:
    """Length of the TLS record whose five header bytes stand at `at`, header included."""
    return _RECORD_HEADER + big16(buffer, at + 3)


@compiled
def begins_hello(buffer: Buffer, at: int, end: int) -> bool:
    """Whether the bytes are how a ClientHello begins, as far as they go (at least one)."""
    count = end - at
    if buffer[at] != _HANDSHAKE or (count > 1 and buffer[at + 1] != 3) or (count > 2 and buffer[at + 2] > 4):
        return False
    if count > 4 and not 40 <= big16(buffer, at + 3) <= 16384:
        return False
    return count <= _RECORD_HEADER or buffer[at + 5] == _CLIENT_HELLO


@compiled
def is_alert(buffer: Buffer, at: int, end: int) -> bool:
    """A segment that begins with an alert that is not encrypted: two bytes, level and description."""
    return (
        end - at >= 7
        and buffer[at] == _ALERT_RECORD
        and buffer[at + 1] == 3
        and buffer[at + 2] <= 4
        and big16(buffer, at + 3) == 2
        and buffer[at + 5] in (1, 2)
    )


@compiled
def _put_row(m: Memory, stream: int, kind: int, version: int) -> int:
    apart()
    state = m.states[0]
    number = state.tls
    row = m.tls[number]
    own = m.streams[stream]
    row.frame, row.time_ns = own.begin_frame, own.begin_ns
    row.connection = m.talks[stream // 2].connection - 1
    row.vantage = m.talks[stream // 2].vantage
    row.kind, row.version, row.from_client = kind, version, 1 - stream % 2
    row.alert_level = row.alert_code = 0
    state.tls += 1
    return np.int64(number)


@compiled
def read_alert(m: Memory, stream: int, buffer: Buffer, at: int) -> None:
    """Adds the alert at `at` to the filled rows."""
    number = _put_row(m, stream, ALERT, big16(buffer, at + 1))
    row = m.tls[number]
    row.alert_level, row.alert_code = buffer[at + 5], buffer[at + 6]
    put_row_text(m, TLS_NAME, number, buffer, at, 0)
    put_row_text(m, TLS_ALPN, number, buffer, at, 0)


@compiled
def _extensions_at(buffer: Buffer, at: int, end: int) -> int:
    """Where the extensions' length stands in a ClientHello (at its record header), or -1."""
    at += _RECORD_HEADER + 4 + 2 + 32
    if at >= end:
        return -1
    at += 1 + np.int64(buffer[at])
    if at + 2 > end:
        return -1
    at += 2 + big16(buffer, at)
    if at >= end:
        return -1
    at += 1 + np.int64(buffer[at])
    return at if at + 2 <= end else -1


@compiled
def _highest_version(buffer: Buffer, at: int, end: int) -> int:
    """Of the supported_versions extension, reserved (GREASE) values left out."""
    highest = 0
    last: int = min(end, at + 1 + np.int64(buffer[at]))
    for i in range(at + 1, last - 1, 2):
        version = big16(buffer, i)
        if 0x0300 <= version <= 0x0304:
            highest = max(highest, version)
    return highest


@compiled
def _put_protocols(m: Memory, number: int, buffer: Buffer, at: int, end: int) -> None:
    """The names of an ALPN list, joined by commas."""
    base = BATCH * TEXT_PLACES[TLS_ALPN]
    place = np.int64(m.offsets[TLS_ALPN, number])
    used = 0
    while at < end and at + 1 + np.int64(buffer[at]) <= end:
        length = np.int64(buffer[at])
        if used + length + 1 > TEXT_LIMITS[TLS_ALPN]:
            break
        if used > 0:
            m.arena[base + place + used] = 44
            used += 1
        for i in range(length):
            m.arena[base + place + used + i] = printable(buffer[at + 1 + i])
        used += length
        at += 1 + length
    m.offsets[TLS_ALPN, number + 1] = place + used


@compiled
def _extension(m: Memory, number: int, kind: int, buffer: Buffer, at: int, end: int) -> None:
    apart()
    if kind == _SERVER_NAME and end - at >= 5 and buffer[at + 2] == 0:
        length = min(big16(buffer, at + 3), end - at - 5)
        m.offsets[TLS_NAME, number + 1] = m.offsets[TLS_NAME, number]
        put_row_text(m, TLS_NAME, number, buffer, at + 5, length)
    elif kind == _ALPN and end - at >= 3:
        _put_protocols(m, number, buffer, at + 2, end)
    elif kind == _VERSIONS and end > at:
        version = _highest_version(buffer, at, end)
        if version > 0:
            m.tls[number].version = version


@compiled
def read_hello(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> None:
    """Adds the ClientHello (or its beginning) in buffer[at:end] to the filled rows."""
    apart()
    if end - at < _RECORD_HEADER + 6:
        return
    number = _put_row(m, stream, HELLO, big16(buffer, at + _RECORD_HEADER + 4))
    put_row_text(m, TLS_NAME, number, buffer, at, 0)
    put_row_text(m, TLS_ALPN, number, buffer, at, 0)
    place = _extensions_at(buffer, at, end)
    if place < 0:
        return
    end = min(end, place + 2 + big16(buffer, place))
    place += 2
    for _ in range(_MOST_EXTENSIONS):
        if place + 4 > end:
            return
        kind, length = big16(buffer, place), big16(buffer, place + 2)
        if place + 4 + length > end:
            return
        _extension(m, number, kind, buffer, place + 4, place + 4 + length)
        place += 4 + length

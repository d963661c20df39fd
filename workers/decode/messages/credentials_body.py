"""The times in a credentials answer. Nothing else of a body is ever looked at, and no text of it is copied but
the result code."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from itertools import accumulate
from typing import Final

import numpy as np

from backend.forensics.connections import NEVER
from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.message_records import METADATA_CODE, SCRATCH_BYTES, TOKEN_BYTES, Memory
from workers.decode.loop.octets import Buffer
from workers.decode.messages.rows import put_text
from workers.decode.messages.text import COLON, QUOTE, contains, decimal, is_digit, iso_time_ns, lower

SCAN_BYTES: Final = 16 << 10
"""How much of a body is looked at."""
_KEYS: Final = (b"expiration", b"lastupdated", b"code", b"expires_in")
_NO_KEY, _EXPIRATION, _LAST_UPDATED, _CODE, _EXPIRES_IN = range(5)
_KEY_BYTES: Final = np.frombuffer(b"".join(_KEYS), np.uint8)
_KEY_PLACES: Final = np.array([0, *accumulate(map(len, _KEYS))], np.int64)
_CREDENTIALS: Final = np.frombuffer(b"credentials", np.uint8)
_TOKEN: Final = np.frombuffer(b"/token", np.uint8)
_LONGEST_CODE: Final = 32
_BACKSLASH, _COMMA = 92, 44
_BRACKETS: Final = (123, 125, 91, 93)


@compiled
def answers_credentials(buffer: Buffer, at: int, end: int) -> bool:
    """Whether the answer to this target may be a credentials document (AWS, ECS, EKS, Alibaba; GCP, Azure)."""
    apart()
    return contains(buffer, at, end, _CREDENTIALS) or contains(buffer, at, end, _TOKEN)


@compiled
def _key_of(m: Memory, base: int, length: int) -> int:
    for key in range(_KEY_PLACES.size - 1):
        start = _KEY_PLACES[key]
        if _KEY_PLACES[key + 1] - start != length:
            continue
        same = True
        for i in range(length):
            if lower(m.scratch[base + i]) != _KEY_BYTES[start + i]:
                same = False
                break
        if same:
            return key + 1
    return _NO_KEY


@compiled
def _is_code(m: Memory, base: int, length: int) -> bool:
    """``Success``, ``AssumeRoleUnauthorizedAccess`` …: letters only, so that no key can pass for one."""
    for i in range(length):
        if not 97 <= lower(m.scratch[base + i]) <= 122:
            return False
    return 0 < length <= _LONGEST_CODE


@compiled
def _take_value(m: Memory, stream: int, base: int) -> None:
    record = m.streams[stream]
    exchange = np.int64(record.exchange) - 1
    length = np.int64(record.token)
    end = base + length
    if exchange < 0 or length >= TOKEN_BYTES:
        return
    if record.key == _EXPIRATION:
        m.exchanges[exchange].expiration_ns = iso_time_ns(m.scratch, base, end)
    elif record.key == _LAST_UPDATED:
        m.exchanges[exchange].last_updated_ns = iso_time_ns(m.scratch, base, end)
    elif record.key == _EXPIRES_IN:
        m.exchanges[exchange].expires_in_s = decimal(m.scratch, base, end)
    elif record.key == _CODE and _is_code(m, base, length):
        put_text(m, exchange, METADATA_CODE, m.scratch, base, end)


@compiled
def _end_string(m: Memory, stream: int, base: int) -> None:
    record = m.streams[stream]
    record.in_string = 0
    if record.after_colon:
        _take_value(m, stream, base)
        record.key = _NO_KEY
    else:
        record.key = _key_of(m, base, np.int64(record.token))
    record.token = 0


@compiled
def _in_string(m: Memory, stream: int, base: int, byte: int) -> None:
    record = m.streams[stream]
    if byte == QUOTE and not record.escaped:
        _end_string(m, stream, base)
        return
    record.escaped = 1 if byte == _BACKSLASH and not record.escaped else 0
    if record.token < TOKEN_BYTES:
        m.scratch[base + record.token] = byte
        record.token += 1


@compiled
def _outside(m: Memory, stream: int, base: int, byte: int) -> None:
    record = m.streams[stream]
    if byte == QUOTE:
        record.in_string, record.escaped, record.token = 1, 0, 0
    elif byte == COLON:
        record.after_colon, record.token = 1, 0
    elif byte == _COMMA or byte in _BRACKETS:
        if record.after_colon and record.token > 0:
            _take_value(m, stream, base)
        record.after_colon, record.key, record.token = 0, _NO_KEY, 0
    elif is_digit(byte) and record.after_colon and record.token < TOKEN_BYTES:
        m.scratch[base + record.token] = byte
        record.token += 1


@compiled
def scan_body(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> None:
    """Looks for times in the next bytes of a body; the place in the JSON text is kept for the next segment."""
    apart()
    record = m.streams[stream]
    base = record.scratch * SCRATCH_BYTES - TOKEN_BYTES
    for i in range(at, min(end, at + record.scan_left)):
        if record.in_string:
            _in_string(m, stream, base, np.int64(buffer[i]))
        else:
            _outside(m, stream, base, np.int64(buffer[i]))
    record.scan_left -= min(record.scan_left, end - at)


@compiled
def begin_scan(m: Memory, stream: int) -> None:
    """From the first byte of a body on."""
    record = m.streams[stream]
    record.scan, record.scan_left = 1, SCAN_BYTES
    record.in_string, record.escaped, record.after_colon, record.key, record.token = 0, 0, 0, 0, 0


@compiled
def forget_times(m: Memory, exchange: int) -> None:
    """A new exchange knows none yet."""
    record = m.exchanges[exchange]
    record.date_s = record.retry_after_s = record.token_ttl_s = NEVER
    record.expiration_ns = record.last_updated_ns = record.expires_in_s = NEVER

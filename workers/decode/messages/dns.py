"""DNS messages (RFC 1035 section 4)."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

import numpy as np

from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.message_records import BATCH, DNS_NAME, TEXT_PLACES, Memory
from workers.decode.loop.octets import Buffer, big16, big32, big64
from workers.decode.loop.records import Record
from workers.decode.messages.text import lower, printable

_HEADER_BYTES: Final = 12
_MOST_POINTERS: Final = 32
_MOST_RECORDS: Final = 256
_LONGEST_NAME: Final = 255
_A, _AAAA, _INTERNET = 1, 28, 1
_V4_MAPPED = np.uint64(0xFFFF00000000)
_ANSWER = 0x8000
_CUT, _BAD = -1, -2
_OPT: Final = 41


@compiled
def _skip_name(buffer: Buffer, at: int, end: int) -> int:
    """Where the bytes after a name begin; _CUT when it goes on behind the end, _BAD for no name."""
    for _ in range(_LONGEST_NAME):
        if at >= end:
            return _CUT
        length = np.int64(buffer[at])
        if length == 0:
            return at + 1
        if length & 0xC0 == 0xC0:
            return at + 2 if at + 2 <= end else _CUT
        if length & 0xC0:
            return _BAD
        at += 1 + length
    return _BAD


@compiled
def _pointed_at(buffer: Buffer, start: int, at: int, end: int) -> int:
    """Where the compression pointer at `at` leads: back in the message, or it is none (-1)."""
    if at + 1 >= end:
        return -1
    target = start + (big16(buffer, at) & 0x3FFF)
    return target if target < at else -1


@compiled
def _put_label(m: Memory, base: int, used: int, buffer: Buffer, at: int, length: int) -> int:
    """Adds a label to the name of which `used` bytes are written; returns how many are then."""
    if used > 0:
        m.arena[base + used] = 46
        used += 1
    for i in range(length):
        m.arena[base + used + i] = printable(lower(buffer[at + i]))
    return used + length


@compiled
def _put_name(m: Memory, row: int, buffer: Buffer, start: int, at: int, end: int) -> bool:
    """Writes the name at `at` as the row's text; compression pointers may only go back, and not often."""
    apart()
    base = BATCH * TEXT_PLACES[DNS_NAME]
    place = np.int64(m.offsets[DNS_NAME, row])
    m.offsets[DNS_NAME, row + 1] = place
    used, pointers = 0, 0
    while at < end and buffer[at] != 0:
        length = np.int64(buffer[at])
        if length & 0xC0 == 0xC0:
            at = _pointed_at(buffer, start, at, end)
            pointers += 1
            if at < 0 or pointers > _MOST_POINTERS:
                return False
            continue
        if length & 0xC0 or at + 1 + length > end or used + length + 1 > _LONGEST_NAME:
            return False
        used = _put_label(m, base + place, used, buffer, at + 1, length)
        at += 1 + length
    if at >= end:
        return False
    m.offsets[DNS_NAME, row + 1] = place + used
    return True


@compiled
def _take_address(row: Record, buffer: Buffer, at: int, end: int, kind: int, length: int) -> None:
    """The first A or AAAA record's address. `at`: its data."""
    if row.address_version != 0 or at + length > end:
        return
    if kind == _A and length == 4:
        row.address_version = 4
        row.address_high = np.uint64(0)
        row.address_low = _V4_MAPPED | np.uint64(big32(buffer, at))
    elif kind == _AAAA and length == 16:
        row.address_version = 6
        row.address_high = big64(buffer, at)
        row.address_low = big64(buffer, at + 8)
    else:
        return
    row.address_ttl_s = big32(buffer, at - 6)


@compiled
def _record_end(row: Record, buffer: Buffer, at: int, end: int, in_answer: bool) -> int:
    """Where the resource record at `at` ends, or _CUT or _BAD."""
    at = _skip_name(buffer, at, end)
    if at < 0:
        return at
    if at + 10 > end:
        return _CUT
    kind, length = big16(buffer, at), big16(buffer, at + 8)
    if in_answer and big16(buffer, at + 2) == _INTERNET:
        _take_address(row, buffer, at + 10, end, kind, length)
    return at + 10 + length


@compiled
def _records(row: Record, buffer: Buffer, start: int, at: int, end: int) -> int:
    """Reads the answer, authority and additional sections; where they end, or _CUT or _BAD."""
    apart()
    answers = big16(buffer, start + 6)
    total = answers + big16(buffer, start + 8) + big16(buffer, start + 10)
    if total > _MOST_RECORDS:
        return _BAD
    for i in range(total):
        at = _record_end(row, buffer, at, end, i < answers)
        if at < 0:
            return at
        if at > end:
            return _CUT
    return at


@compiled
def _question(m: Memory, row: Record, number: int, buffer: Buffer, start: int, end: int) -> int:
    """Reads the first question; where the questions end, or _CUT or _BAD."""
    apart()
    at = start + _HEADER_BYTES
    for i in range(big16(buffer, start + 4)):
        name = at
        at = _skip_name(buffer, at, end)
        if at < 0:
            return at
        if at + 4 > end:
            return _CUT
        if i == 0:
            row.type = big16(buffer, at)
            if not _put_name(m, number, buffer, start, name, end):
                return _BAD
        at += 4
    return at


@compiled
def _is_exact(buffer: Buffer, start: int, parsed: int, end: int) -> bool:
    """Elsewhere than on port 53 only a message without a byte too few or too many is one."""
    flags = big16(buffer, start + 2)
    is_query = flags & _ANSWER == 0
    if is_query and (flags & 0x068F or big16(buffer, start + 6) or big16(buffer, start + 8)):
        return False
    return parsed == end


@compiled
def _fill_header(row: Record, buffer: Buffer, at: int) -> None:
    row.id, row.header = big16(buffer, at), big16(buffer, at + 2)
    row.questions, row.answers = big16(buffer, at + 4), big16(buffer, at + 6)
    row.rcode = row.header & 15
    row.type = row.cut = row.address_version = 0
    row.address_high = row.address_low = np.uint64(0)
    row.address_ttl_s = 0


@compiled
def read_dns(
    m: Memory, connection: int, vantage: int, buffer: Buffer, at: int, end: int,
    size: int, over_tcp: bool, on_port: bool,
) -> bool:  # fmt: skip
    """Adds the message in buffer[at:end] (`size` bytes on the wire) of the packet at hand to the filled rows;
    False when it is none. `on_port`: a port says DNS, so that its form need not prove it."""
    apart()
    if end - at < _HEADER_BYTES or big16(buffer, at + 4) > 1:
        return False
    state = m.states[0]
    number = state.dns
    row = m.dns[number]
    _fill_header(row, buffer, at)
    row.frame, row.time_ns = state.frame, state.time_ns
    row.connection, row.vantage = connection, vantage
    row.over_tcp, row.bytes = 1 if over_tcp else 0, size
    m.offsets[DNS_NAME, number + 1] = m.offsets[DNS_NAME, number]
    parsed = _question(m, row, number, buffer, at, end)
    if parsed >= 0:
        parsed = _records(row, buffer, at, parsed, end)
    is_cut = parsed == _CUT and end - at < size
    if not is_cut and (parsed < 0 or not (on_port or _is_exact(buffer, at, parsed, end))):
        return False
    if is_cut and not on_port:
        return False
    row.cut = 1 if is_cut else 0
    state.dns = number + 1
    return True

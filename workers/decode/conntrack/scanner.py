"""The compiled scanner of conntrack's lines.

    tcp      6 114 TIME_WAIT src=10.0.0.1 dst=10.0.0.2 sport=41396 dport=80 packets=5 bytes=347
        src=10.0.0.2 dst=192.0.2.1 sport=80 dport=41396 packets=5 bytes=369 [ASSURED] mark=0 use=1    (one line)
    [1795223503.487264]	    [NEW] tcp      6 120 SYN_SENT src=… [UNREPLIED] src=… id=113457792      (one line)
    ipv6     10 tcp      6 110 TIME_WAIT src=fd00:10::13 dst=fd00:96::100 …                       (`-o extended`)

A line is read whole or not at all: cut short, or with a word that nobody knows, it is left to be shown.
"""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.dumps.conntrack import FLAGS, NOT_SHOWN, STATES
from workers.decode.conntrack.words import (
    REFUSED,
    Buffer,
    address,
    code_of,
    find,
    is_blank,
    read_decimal,
    skip_blanks,
    word_code,
    word_end,
)
from workers.decode.loop.compiler import compiled, entry

Record = Any

LINE_LIMIT: Final = 4096
"""No line of conntrack is longer."""
_ICMP, _ICMPV6 = 1, 58
_EVENT_NEW, _EVENT_UPDATE, _EVENT_DESTROY = 1, 2, 3


_STATE_CODES: Final = tuple(word_code(name) for name in STATES)
_FLAG_CODES: Final = tuple(word_code(name) for name in FLAGS)
_OTHER_STATE: Final = len(STATES) - 1
_OTHER_FLAG: Final = len(FLAGS) - 1
_SRC, _DST, _SPORT, _DPORT = word_code("src"), word_code("dst"), word_code("sport"), word_code("dport")
_TYPE, _CODE, _ID = word_code("type"), word_code("code"), word_code("id")
_PACKETS, _BYTES, _MARK = word_code("packets"), word_code("bytes"), word_code("mark")
_ZONE, _ZONE_ORIGINAL, _DELTA = word_code("zone"), word_code("zone-orig"), word_code("delta-time")
_NEW, _UPDATE, _DESTROY = word_code("NEW"), word_code("UPDATE"), word_code("DESTROY")
_IPV4, _IPV6 = word_code("ipv4"), word_code("ipv6")
_START, _STOP = word_code("start"), word_code("stop")


@compiled
def _clear(row: Record) -> None:
    row.ip_version, row.state, row.event, row.flags, row.zone = 0, 0, 0, 0, 0
    row.timeout_s, row.delta_time_s, row.mark, row.id, row.time_ns = (
        NOT_SHOWN,
        NOT_SHOWN,
        NOT_SHOWN,
        NOT_SHOWN,
        NOT_SHOWN,
    )
    row.original_source_port, row.original_destination_port = 0, 0
    row.reply_source_port, row.reply_destination_port = 0, 0
    row.icmp_id, row.icmp_type, row.icmp_code = 0, 0, 0
    row.original_packets, row.original_bytes = NOT_SHOWN, NOT_SHOWN
    row.reply_packets, row.reply_bytes = NOT_SHOWN, NOT_SHOWN


@compiled
def _set_address(row: Record, reply: bool, destination: bool, high: int, low: int) -> None:
    if not reply and not destination:
        row.original_source_high, row.original_source_low = high, low
    elif not reply:
        row.original_destination_high, row.original_destination_low = high, low
    elif not destination:
        row.reply_source_high, row.reply_source_low = high, low
    else:
        row.reply_destination_high, row.reply_destination_low = high, low


@compiled
def _set_port(row: Record, reply: bool, destination: bool, port: int) -> None:
    if not reply and not destination:
        row.original_source_port = port
    elif not reply:
        row.original_destination_port = port
    elif not destination:
        row.reply_source_port = port
    else:
        row.reply_destination_port = port


@compiled
def _set_count(row: Record, reply: bool, is_bytes: bool, value: int) -> None:
    if not reply and not is_bytes:
        row.original_packets = value
    elif not reply:
        row.original_bytes = value
    elif not is_bytes:
        row.reply_packets = value
    else:
        row.reply_bytes = value


@compiled
def _event_time(buffer: Buffer, at: int, end: int) -> int:
    """Nanoseconds of ``1795223503.487264``, REFUSED when it is no time."""
    dot = find(buffer, at, end, 0x2E)
    seconds = read_decimal(buffer, at, dot)
    digits = end - dot - 1
    if seconds < 0 or dot - at != 10 or digits > 9 or (dot < end and digits < 1):
        return REFUSED
    fraction = read_decimal(buffer, dot + 1, end) if dot < end else np.int64(0)
    if fraction < 0:
        return REFUSED
    for _ in range(9 - max(digits, 0)):
        fraction *= 10
    return seconds * 1_000_000_000 + fraction


@compiled
def _read_event(buffer: Buffer, at: int, end: int, row: Record) -> int:
    """The bracketed time and event at the beginning of a line; where the entry begins, or REFUSED."""
    for _ in range(2):
        at = skip_blanks(buffer, at, end)
        if at >= end or buffer[at] != 0x5B or row.event != 0:
            break
        close = find(buffer, at, end, 0x5D)
        code = code_of(buffer, at + 1, close)
        if code == _NEW:
            row.event = _EVENT_NEW
        elif code == _UPDATE:
            row.event = _EVENT_UPDATE
        elif code == _DESTROY:
            row.event = _EVENT_DESTROY
        else:
            row.time_ns = _event_time(buffer, at + 1, close)
            if row.time_ns < 0:
                return REFUSED
        at = close + 1
    return REFUSED if row.time_ns >= 0 and row.event == 0 else skip_blanks(buffer, at, end)


@compiled
def _is_name(buffer: Buffer, at: int, end: int) -> bool:
    """A protocol's name: small letters, digits and hyphens."""
    if end - at < 2 or end - at > 12:
        return False
    for index in range(at, end):
        byte = buffer[index]
        if not (0x61 <= byte <= 0x7A or 0x30 <= byte <= 0x39 or byte == 0x2D):
            return False
    return True


@compiled
def _is_state(buffer: Buffer, at: int, end: int) -> bool:
    """Capitals, digits, ``_`` and ``!``."""
    if end - at < 2 or end - at > 16 or not 0x41 <= buffer[at] <= 0x5A:
        return False
    for index in range(at, end):
        byte = buffer[index]
        if not (0x41 <= byte <= 0x5A or 0x30 <= byte <= 0x39 or byte == 0x5F or byte == 0x21):
            return False
    return True


@compiled
def _index_of(codes: tuple[int, ...], code: int, otherwise: int) -> int:
    for index in range(len(codes)):
        if codes[index] == code:
            return index
    return otherwise


@compiled
def _read_protocol(buffer: Buffer, at: int, end: int, row: Record) -> int:
    """``tcp 6``, behind ``ipv4 2`` where the listing is extended; the index behind it, or REFUSED."""
    for attempt in range(2):
        stop = word_end(buffer, at, end)
        code = code_of(buffer, at, stop)
        begin = skip_blanks(buffer, stop, end)
        behind = word_end(buffer, begin, end)
        number = read_decimal(buffer, begin, behind)
        if not _is_name(buffer, at, stop) or number < 0 or number > 255:
            return REFUSED
        at = skip_blanks(buffer, behind, end)
        if attempt == 1 or (code != _IPV4 and code != _IPV6):
            row.protocol = number
            return at
    return REFUSED


@compiled
def _read_state(buffer: Buffer, at: int, end: int, row: Record) -> int:
    """The timeout and the state, either of which may be absent; the index behind them."""
    stop = word_end(buffer, at, end)
    number = read_decimal(buffer, at, stop)
    if 0 <= number < 0x80000000:
        row.timeout_s = number
        at = skip_blanks(buffer, stop, end)
        stop = word_end(buffer, at, end)
    if _is_state(buffer, at, stop):
        row.state = _index_of(_STATE_CODES, code_of(buffer, at, stop), _OTHER_STATE)
        at = skip_blanks(buffer, stop, end)
    return at


@compiled
def _read_flag(buffer: Buffer, at: int, end: int, row: Record) -> int:
    """``[ASSURED]`` or ``[start=Sat Nov 21 00:48:13 2026]``; the index behind it, or REFUSED."""
    close = find(buffer, at, end, 0x5D)
    equals = find(buffer, at, close, 0x3D)
    if close == end:
        return REFUSED
    if equals < close:
        code = code_of(buffer, at + 1, equals)
        return close + 1 if (code in (_START, _STOP)) and close - at < 80 else REFUSED
    if not _is_state(buffer, at + 1, close):
        return REFUSED
    row.flags |= 1 << _index_of(_FLAG_CODES, code_of(buffer, at + 1, close), _OTHER_FLAG)
    return close + 1


@compiled
def _read_end(buffer: Buffer, at: int, end: int, row: Record, reply: bool, code: int) -> bool:
    """The value of an address or port of one side."""
    if code in (_SRC, _DST):
        version, high, low = address(buffer, at, end)
        _set_address(row, reply, code == _DST, high, low)
        row.ip_version = version
        return version != 0
    port = read_decimal(buffer, at, end)
    _set_port(row, reply, code == _DPORT, port & 0xFFFF)
    return 0 <= port <= 0xFFFF


@compiled
def _read_icmp(row: Record, code: int, number: int) -> None:
    if code == _TYPE:
        row.icmp_type = number & 0xFF
    elif code == _CODE:
        row.icmp_code = number & 0xFF
    else:
        row.icmp_id = number & 0xFFFF


@compiled
def _read_number(row: Record, reply: bool, code: int, before: int, number: int) -> None:
    """A field that is a number: ``id`` is ICMP's behind ``code``, else the entry's."""
    is_icmp = row.protocol == _ICMP or row.protocol == _ICMPV6
    if code in (_PACKETS, _BYTES):
        _set_count(row, reply, code == _BYTES, number)
    elif is_icmp and (code in (_TYPE, _CODE) or (code == _ID and before == _CODE)):
        if not reply:
            _read_icmp(row, code, number)
    elif code == _ID:
        row.id = number
    elif code == _MARK:
        row.mark = number
    elif code == _DELTA:
        row.delta_time_s = min(number, 0x7FFFFFFF)
    else:
        row.zone = number & 0xFFFF


@compiled
def _is_number_field(code: int) -> bool:
    known = code in (_PACKETS, _BYTES, _ID, _MARK, _DELTA)
    return known or code in (_ZONE, _ZONE_ORIGINAL, _TYPE, _CODE)


@compiled
def _read_fields(buffer: Buffer, at: int, end: int, row: Record) -> bool:
    """Both sides, flags and the rest: the second ``src=`` begins the reply's."""
    sources, destinations, before = 0, 0, 0
    while at < end:
        if buffer[at] == 0x5B:
            at = _read_flag(buffer, at, end, row)
            if at < 0:
                return False
        else:
            stop = word_end(buffer, at, end)
            equals = find(buffer, at, stop, 0x3D)
            code = code_of(buffer, at, equals)
            if code == _SRC:
                sources += 1
            elif code == _DST:
                destinations += 1
            if equals in (stop, at) or not _read_field(buffer, equals + 1, stop, row, sources, code, before):
                return False
            before, at = code, stop
        at = skip_blanks(buffer, at, end)
    return sources == 2 and destinations == 2


@compiled
def _read_field(buffer: Buffer, at: int, end: int, row: Record, sources: int, code: int, before: int) -> bool:
    if code in (_SRC, _DST, _SPORT, _DPORT):
        return (sources == 1 or sources == 2) and _read_end(buffer, at, end, row, sources == 2, code)
    if not _is_number_field(code):
        return True
    number = read_decimal(buffer, at, end)
    if number >= 0:
        _read_number(row, sources == 2, code, before, number)
    return number >= 0


@compiled
def _read_line(buffer: Buffer, at: int, end: int, row: Record) -> bool:
    if end - at > LINE_LIMIT or end - at < 40:
        return False
    _clear(row)
    at = _read_event(buffer, at, end, row)
    if at < 0:
        return False
    at = _read_protocol(buffer, at, end, row)
    if at < 0:
        return False
    at = _read_state(buffer, at, end, row)
    return _read_fields(buffer, at, end, row)


@entry
def scan_lines(
    buffer: Buffer, size: int, rows: Record, others: NDArray[np.int64], state: NDArray[np.int64]
) -> None:
    """Reads the lines of buffer[:size], each ended by a line feed, from index state[0] on, which has number state[1].

    Entries fill `rows` from state[2] on. Of every other line `others` gets (begin, end, number), from state[3] on.
    Returns when all is read or either is full.
    """
    while state[0] < size and state[2] < len(rows) and 3 * state[3] < len(others):
        begin = state[0]
        stop = find(buffer, begin, size, 0x0A)
        end = stop
        while end > begin and (is_blank(buffer[end - 1]) or buffer[end - 1] == 0x0D):
            end -= 1
        row = rows[state[2]]
        if _read_line(buffer, begin, end, row):
            row.line = state[1]
            state[2] += 1
        else:
            at = 3 * state[3]
            others[at], others[at + 1], others[at + 2] = begin, stop, state[1]
            state[3] += 1
        state[0] = stop + 1
        state[1] += 1

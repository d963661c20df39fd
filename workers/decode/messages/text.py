"""Words, numbers and times in the bytes of a message."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

import numpy as np

from backend.forensics.connections import NEVER
from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.octets import Buffer

COLON, SPACE, QUOTE, TAB = 58, 32, 34, 9
_NS: Final = 1_000_000_000
_MONTHS: Final = np.frombuffer(b"JanFebMarAprMayJunJulAugSepOctNovDec", np.uint8)
_LARGEST: Final = 1 << 60


@compiled
def lower(byte: int) -> int:
    """An ASCII letter in lower case."""
    return np.int64(byte) | 32 if 65 <= byte <= 90 else np.int64(byte)


@compiled
def is_digit(byte: int) -> bool:
    """0 to 9."""
    return 48 <= byte <= 57


@compiled
def is_word(byte: int) -> bool:
    """A letter, a digit, or one of ``-_.``."""
    return is_digit(byte) or 97 <= lower(byte) <= 122 or byte in (45, 46, 95)


@compiled
def holds(buffer: Buffer, at: int, end: int, word: Buffer) -> bool:
    """Whether `word` (lower case) stands at `at`, in any case of letters."""
    if at + word.size > end:
        return False
    for i in range(word.size):  # noqa: SIM110 - compiled code knows no generators
        if lower(buffer[at + i]) != word[i]:
            return False
    return True


@compiled
def contains(buffer: Buffer, at: int, end: int, word: Buffer) -> bool:
    """Whether `word` (lower case) stands anywhere."""
    apart()
    for i in range(at, end - word.size + 1):  # noqa: SIM110
        if lower(buffer[i]) == word[0] and holds(buffer, i, end, word):
            return True
    return False


@compiled
def find(buffer: Buffer, at: int, end: int, byte: int) -> int:
    """Where `byte` is, or -1."""
    for i in range(at, end):
        if buffer[i] == byte:
            return i
    return -1


@compiled
def printable(byte: int) -> int:
    """The byte, or ``?`` for what is no printable ASCII."""
    return np.int64(byte) if 32 <= byte <= 126 else np.int64(63)


@compiled
def decimal(buffer: Buffer, at: int, end: int) -> int:
    """A number written in digits and nothing else, or NEVER; larger ones than 2^60 are NEVER, too."""
    apart()
    if at >= end:
        return NEVER
    value = 0
    for i in range(at, end):
        if not is_digit(buffer[i]) or value > _LARGEST // 10:
            return NEVER
        value = value * 10 + np.int64(buffer[i]) - 48
    return value


@compiled
def hexadecimal(buffer: Buffer, at: int, end: int) -> int:
    """The number that a chunk's size line begins with (RFC 9112 section 7.1), or NEVER."""
    value = 0
    i = at
    while i < end:
        digit = lower(buffer[i])
        if is_digit(digit):
            digit -= 48
        elif 97 <= digit <= 102:
            digit -= 87
        else:
            break
        if value > _LARGEST // 16:
            return NEVER
        value = value * 16 + digit
        i += 1
    if i == at or (i < end and buffer[i] not in (SPACE, TAB, 59)):
        return NEVER
    return value


@compiled
def _days(year: int, month: int, day: int) -> int:
    """Days since 1970 (the days_from_civil algorithm of Howard Hinnant)."""
    if month <= 2:
        year -= 1
    era = year // 400
    year_of_era = year - era * 400
    shifted = month - 3 if month > 2 else month + 9
    day_of_year = (153 * shifted + 2) // 5 + day - 1
    return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719468


@compiled
def _seconds(year: int, month: int, day: int, clock: int) -> int:
    if not (1970 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31) or clock < 0:
        return NEVER
    return _days(year, month, day) * 86400 + clock


@compiled
def _clock(buffer: Buffer, at: int) -> int:
    """Seconds of ``hh:mm:ss``, or NEVER."""
    if buffer[at + 2] != COLON or buffer[at + 5] != COLON:
        return NEVER
    hours, minutes = decimal(buffer, at, at + 2), decimal(buffer, at + 3, at + 5)
    seconds = decimal(buffer, at + 6, at + 8)
    if not (0 <= hours <= 23 and 0 <= minutes <= 59 and 0 <= seconds <= 60):
        return NEVER
    return hours * 3600 + minutes * 60 + seconds


@compiled
def http_date(buffer: Buffer, at: int, end: int) -> int:
    """Seconds since 1970 of ``Sat, 21 Nov 2026 00:56:51 GMT`` (RFC 9110 section 5.6.7), or NEVER."""
    apart()
    if end - at != 29 or buffer[at + 26] != 71:
        return NEVER
    month = 0
    for i in range(12):
        same = buffer[at + 8] == _MONTHS[3 * i] and buffer[at + 9] == _MONTHS[3 * i + 1]
        if same and buffer[at + 10] == _MONTHS[3 * i + 2]:
            month = i + 1
    year, day = decimal(buffer, at + 12, at + 16), decimal(buffer, at + 5, at + 7)
    return _seconds(year, month, day, _clock(buffer, at + 17))


@compiled
def iso_time_ns(buffer: Buffer, at: int, end: int) -> int:
    """ns since 1970 of ``2026-11-21T01:11:41Z`` (fractions and ``+00:00`` allowed), or NEVER."""
    apart()
    if end - at < 20 or buffer[at + 4] != 45 or buffer[at + 7] != 45 or buffer[at + 10] not in (84, SPACE):
        return NEVER
    year, month = decimal(buffer, at, at + 4), decimal(buffer, at + 5, at + 7)
    seconds = _seconds(year, month, decimal(buffer, at + 8, at + 10), _clock(buffer, at + 11))
    if seconds == NEVER or seconds > 9_000_000_000:
        return NEVER
    fraction, unit = 0, _NS
    i = at + 19
    if buffer[i] == 46:
        i += 1
        while i < end and is_digit(buffer[i]):
            unit //= 10
            fraction += (np.int64(buffer[i]) - 48) * unit
            i += 1
    utc = (end - i == 1 and buffer[i] == 90) or (end - i == 6 and decimal(buffer, i + 1, i + 3) == 0)
    return seconds * _NS + fraction if utc else NEVER

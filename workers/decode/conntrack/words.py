"""Words, numbers and addresses in the bytes of a line. Numbers are int64, halves of addresses uint64."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from workers.decode.loop.compiler import compiled

Buffer = NDArray[np.uint8]

REFUSED: Final = -1
_DIGITS: Final = 18
_PRIME: Final = np.uint64(0x100000001B3)
_BASIS: Final = np.uint64(0xCBF29CE484222325)
_MAPPED: Final = np.uint64(0xFFFF << 32)


def word_code(word: str) -> int:
    """FNV-1a of a word in 64 signed bits, as the scanner computes it."""
    code = int(_BASIS)
    for byte in word.encode():
        code = (code ^ byte) * int(_PRIME) % 2**64
    return code - 2**64 if code >= 2**63 else code


@compiled
def code_of(buffer: Buffer, at: int, end: int) -> int:
    # Unsigned: of signed numbers the compiler believes that they do not overflow, and drops comparisons.
    code = _BASIS
    for index in range(at, end):
        code = (code ^ np.uint64(buffer[index])) * _PRIME
    return np.int64(code)


@compiled
def is_blank(byte: int) -> bool:
    return byte == 0x20 or byte == 0x09


@compiled
def skip_blanks(buffer: Buffer, at: int, end: int) -> int:
    while at < end and is_blank(buffer[at]):
        at += 1
    return at


@compiled
def word_end(buffer: Buffer, at: int, end: int) -> int:
    while at < end and not is_blank(buffer[at]):
        at += 1
    return at


@compiled
def find(buffer: Buffer, at: int, end: int, byte: int) -> int:
    """Index of the byte, `end` when it is not there."""
    while at < end and buffer[at] != byte:
        at += 1
    return at


@compiled
def read_decimal(buffer: Buffer, at: int, end: int) -> int:
    """The decimal number in buffer[at:end], REFUSED when it is none."""
    if end <= at or end - at > _DIGITS:
        return REFUSED
    value = np.int64(0)
    for index in range(at, end):
        digit = np.int64(buffer[index]) - 0x30
        if digit < 0 or digit > 9:
            return REFUSED
        value = value * 10 + digit
    return value


@compiled
def _dotted(buffer: Buffer, at: int, end: int) -> int:
    """The 32 bits of ``10.0.0.1``, REFUSED when it is no address."""
    value = np.int64(0)
    for part in range(4):
        stop = end if part == 3 else find(buffer, at, end, 0x2E)
        number = read_decimal(buffer, at, stop)
        leading_zero = stop - at > 1 and buffer[at] == 0x30
        if number < 0 or number > 255 or leading_zero or (part < 3 and stop == end):
            return REFUSED
        value = (value << 8) | number
        at = stop + 1
    return value


@compiled
def _hex_digit(byte: int) -> int:
    if 0x30 <= byte <= 0x39:
        return np.int64(byte) - 0x30
    lower = np.int64(byte) | 0x20
    return lower - 0x57 if 0x61 <= lower <= 0x66 else np.int64(REFUSED)


@compiled
def _group(buffer: Buffer, at: int, end: int) -> int:
    """One to four hexadecimal digits, REFUSED otherwise."""
    if end <= at or end - at > 4:
        return REFUSED
    value = np.int64(0)
    for index in range(at, end):
        digit = _hex_digit(buffer[index])
        if digit < 0:
            return REFUSED
        value = (value << 4) | digit
    return value


@compiled
def _shifted_in(high: int, low: int, value: int, bits: int) -> tuple[int, int]:
    """128 bits moved up by `bits` (16 or 32) with `value` below."""
    shift, rest = np.uint64(bits), np.uint64(64 - bits)
    return (high << shift) | (low >> rest), (low << shift) | np.uint64(value)


@compiled
def _groups(buffer: Buffer, at: int, end: int) -> tuple[int, int, int]:
    """Colon-separated groups without ``::``: their number, or REFUSED, and the bits of them."""
    high, low, count = np.uint64(0), np.uint64(0), 0
    while at < end:
        stop = find(buffer, at, end, 0x3A)
        if stop == end and find(buffer, at, end, 0x2E) < end:
            value, bits = _dotted(buffer, at, end), 32
        else:
            value, bits = _group(buffer, at, stop), 16
        if value < 0 or stop == end - 1:
            return REFUSED, high, low
        high, low = _shifted_in(high, low, value, bits)
        count += bits // 16
        at = stop + 1
    return count, high, low


@compiled
def _colon_pair(buffer: Buffer, at: int, end: int) -> int:
    """Index of ``::``, REFUSED when there is none."""
    for index in range(at, end - 1):
        if buffer[index] == 0x3A and buffer[index + 1] == 0x3A:
            return index
    return REFUSED


@compiled
def address(buffer: Buffer, at: int, end: int) -> tuple[int, int, int]:
    """(version, high, low) of an address (RFC 4291 section 2.2); version 0 when it is none."""
    high, low = np.uint64(0), np.uint64(0)
    if find(buffer, at, end, 0x3A) == end:
        value = _dotted(buffer, at, end)
        return (0, high, low) if value < 0 else (4, high, _MAPPED | np.uint64(value))
    pair = _colon_pair(buffer, at, end)
    if pair < 0:
        count, high, low = _groups(buffer, at, end)
        return (6 if count == 8 else 0), high, low
    count, high, low = _groups(buffer, at, pair)
    below, below_high, below_low = _groups(buffer, pair + 2, end)
    if count < 0 or below < 0 or count + below > 7:
        return 0, high, low
    for _ in range(8 - count):
        high, low = _shifted_in(high, low, 0, 16)
    return 6, high | below_high, low | below_low

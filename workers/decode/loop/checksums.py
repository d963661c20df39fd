"""Checksums of IPv4 headers, TCP, UDP, ICMP and ICMPv6 (RFC 1071, RFC 768, RFC 9293 section 3.1, RFC 8200 section 8.1).

A sender's own capture is taken before its network card fills them in: there the field holds the sum of the pseudo
header alone. All is computed modulo 65,535, where swapping the bytes of a 16-bit word is a multiplication by 256."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.packets import (
    CHECKSUM_PARTIAL,
    CHECKSUM_RIGHT,
    CHECKSUM_UNKNOWN,
    CHECKSUM_WRONG,
    CHECKSUM_ZERO,
    ICMP,
    TCP,
    UDP,
)
from workers.decode.loop.compiler import apart, compiled, together
from workers.decode.loop.octets import Buffer, big16
from workers.decode.loop.records import Record
from workers.decode.loop.wide import unchecked_little32, unchecked_little64

_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_ONES = 0xFFFF
_STEP = 8  # bytes
_LARGEST = 1 << 20
"""Bytes: the largest packet is 256 KiB long, and sums of more would leave 64 bits last."""


@compiled
def _little_sum(buffer: Buffer, at: int, end: int) -> int:
    """Sum of the 32-bit words of buffer[at:end], least significant byte first, the last filled up with zeros; below
    2^52. Modulo 65,535 that is 256 times the sum of its 16-bit words in network order (RFC 1071 section 2.B).

    Four bytes a step without a check are what the processor can take eight of at once."""
    together()
    if at < _STEP or end > buffer.size or at >= end or end - at > _LARGEST:
        return 0
    rest = (end - at) & 7
    value = np.int64(0)
    for step in range((end - at - rest) // 4):
        value += unchecked_little32(buffer, at + 4 * step)
    # The bytes that are left end where a whole word ends that began before them.
    tail = (unchecked_little64(buffer, end - _STEP) >> np.uint64(1)) >> np.uint64(63 - 8 * rest)
    return value + np.int64(tail & _LOW) + np.int64(tail >> _32)


@compiled
def header_checksum(buffer: Buffer, at: int, header: int, end: int) -> int:
    """CHECKSUM_... of the IPv4 header of `header` bytes at `at`."""
    together()
    if at + header > end:
        return CHECKSUM_UNKNOWN
    # Loads of a fixed number are quicker than a loop, and no header but a few has options.
    value = np.int64(0)
    for word in range(5):
        value += unchecked_little32(buffer, at + 4 * word)
    if header > 20:
        value += _little_sum(buffer, at + 20, at + header)
    if value % _ONES == 0:
        return CHECKSUM_RIGHT
    return CHECKSUM_ZERO if big16(buffer, at + 10) == 0 else CHECKSUM_WRONG


@compiled
def _address_sum(high: int, low: int) -> int:
    """Of a 128-bit address; what marks an IPv4 address as mapped (0xFFFF) counts for nothing."""
    together()
    return np.int64(high & _LOW) + np.int64(high >> _32) + np.int64(low & _LOW) + np.int64(low >> _32)


@compiled
def _pseudo_sum(row: Record, length: int) -> int:
    """Of the pseudo header in network order, below 2^35; nothing of ICMP, which has none."""
    together()
    if row.protocol == ICMP:
        return np.int64(0)
    addresses = _address_sum(row.source_high, row.source_low)
    addresses += _address_sum(row.destination_high, row.destination_low)
    return addresses + np.int64(row.protocol) + length


@compiled
def _not_right(buffer: Buffer, at: int, end: int, length: int, field: int, row: Record) -> int:
    """What a checksum is that does not fit its packet. Some systems leave the length to the card, too."""
    apart()
    stated = np.int64(big16(buffer, field))
    if stated == 0:
        return CHECKSUM_ZERO
    if row.protocol != ICMP and stated % _ONES in (
        _pseudo_sum(row, length) % _ONES,
        _pseudo_sum(row, 0) % _ONES,
    ):
        return CHECKSUM_PARTIAL
    return CHECKSUM_WRONG if at + length <= end else CHECKSUM_UNKNOWN


@compiled
def _covered(buffer: Buffer, at: int, length: int, row: Record) -> int:
    """Bytes that the checksum is of: a UDP header may say fewer than the IP header."""
    together()
    if row.protocol != UDP:
        return length
    stated = np.int64(big16(buffer, at + 4))
    return stated if 8 <= stated <= length else length


@compiled
def transport_checksum(buffer: Buffer, at: int, end: int, length: int, row: Record) -> int:
    """CHECKSUM_... of the transport header at `at` with its payload; `length` is theirs by the IP lengths."""
    together()
    field = at + 2
    if row.protocol == TCP:
        field = at + 16
    elif row.protocol == UDP:
        field = at + 6
    if field + 2 > end or field + 2 > at + length:
        return CHECKSUM_UNKNOWN
    if row.protocol == UDP and big16(buffer, field) == 0:
        return CHECKSUM_ZERO
    length = _covered(buffer, at, length, row)
    if at + length <= end:
        value = _little_sum(buffer, at, at + length) + 256 * _pseudo_sum(row, length)
        if value != 0 and value % _ONES == 0:
            return CHECKSUM_RIGHT
    return _not_right(buffer, at, end, length, field, row)

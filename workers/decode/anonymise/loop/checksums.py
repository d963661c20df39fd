"""Checksums brought up to date by what changed (RFC 1624): right ones stay right, wrong ones wrong, and a packet that
was cut, whose checksum nobody can know, would be right again with the bytes that are missing."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from workers.decode.anonymise.loop.records import HEADER_SUM, PLAIN_SUM, SUMS, UDP_SUM, Anonymiser
from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.octets import Buffer, big16


@compiled
def folded(value: int) -> int:
    """A sum of 16-bit words in 16 bits, carries added at the end."""
    while value > 0xFFFF:
        value = (value & 0xFFFF) + (value >> 16)
    return value


@compiled
def sum_of(buffer: Buffer, at: int, end: int) -> int:
    """Sum of the 16-bit words; an odd last byte is the first of its word."""
    value = np.int64(0)
    for i in range(at, end - 1, 2):
        value += (np.int64(buffer[i]) << 8) | np.int64(buffer[i + 1])
    if (end - at) & 1 and end > at:
        value += np.int64(buffer[end - 1]) << 8
    return value


@compiled
def put16(target: Buffer, at: int, value: int) -> None:
    """16 bits in network order."""
    target[at] = (value >> 8) & 0xFF
    target[at + 1] = value & 0xFF


@compiled
def cover(a: Anonymiser, sort: int, field: int, begin: int, end: int) -> None:
    """Notes a checksum whose field was copied; it is brought up to date when the packet is written."""
    work = a.work[0]
    end = min(end, work.end)
    if field + 2 > end or work.sums >= SUMS:
        return
    found = a.sums[work.sums]
    found.sort, found.field, found.begin, found.end = sort, field, begin, end
    found.before = found.after = 0
    work.sums += 1


@compiled
def cover_with_addresses(
    a: Anonymiser, source: Buffer, target: Buffer, sort: int, field: int, begin: int, end: int, length: int,
    protocol: int,
) -> None:  # fmt: skip
    """The same for one with a pseudo header: addresses, `length` of header and payload, `protocol`."""
    work = a.work[0]
    count = work.sums
    cover(a, sort, field, begin, end)
    if work.sums == count:
        return
    found = a.sums[count]
    first, last = work.address_at, work.address_at + work.address_bytes
    more = protocol + (length & 0xFFFF) + (length >> 16)
    found.before = sum_of(source, first, last) + more
    found.after = sum_of(target, first + work.shift, last + work.shift) + more


@compiled
def _is_left_to_the_card(found: int, sort: int, before: int) -> bool:
    """Where the network card fills it in, the field holds the sum of the pseudo header alone."""
    return sort != PLAIN_SUM and sort != HEADER_SUM and found == folded(before)


@compiled
def settle(a: Anonymiser, source: Buffer, target: Buffer) -> None:
    """The innermost first: its own change belongs to what those around it cover."""
    apart()
    work = a.work[0]
    for number in range(work.sums - 1, -1, -1):
        each = a.sums[number]
        old = big16(source, each.field)
        if each.sort == UDP_SUM and old == 0:  # none (RFC 768)
            continue
        if _is_left_to_the_card(old, each.sort, each.before):
            put16(target, each.field + work.shift, folded(each.after))
            continue
        before = folded(sum_of(source, each.begin, each.end) + each.before)
        after = folded(sum_of(target, each.begin + work.shift, each.end + work.shift) + each.after)
        new = 0xFFFF - folded((0xFFFF - old) + (0xFFFF - before) + after)
        if each.sort == UDP_SUM and new == 0:
            new = 0xFFFF
        put16(target, each.field + work.shift, new)


@compiled
def covering_field(a: Anonymiser, source: Buffer) -> int:
    """Of the innermost checksum over the payload, in the target; -1 where there is none, or it is the card's."""
    work = a.work[0]
    for number in range(work.sums - 1, -1, -1):
        each = a.sums[number]
        old = big16(source, each.field)
        if each.sort == HEADER_SUM or (each.sort == UDP_SUM and old == 0):
            continue
        return -1 if _is_left_to_the_card(old, each.sort, each.before) else each.field + work.shift
    return -1

"""TCP with options, UDP, ICMP and ICMPv6 headers."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.packets import (
    ICMP,
    ICMPV6,
    NO_WINDOW_SCALE,
    SACK_DUPLICATE,
    SACK_PERMITTED,
    SYN,
    TCP,
    UDP,
    UNKNOWN_WINDOW_SCALE,
)
from workers.decode.loop.compiler import compiled, together
from workers.decode.loop.octets import Buffer, after, big16, big32
from workers.decode.loop.records import Record

_FNV_OFFSET = 0x811C9DC5
_FNV_PRIME = 0x01000193
_END, _NOP, _MSS, _WINDOW_SCALE, _SACK_PERMITTED, _SACK, _TIMESTAMPS = 0, 1, 2, 3, 4, 5, 8
_ALIGNED_TIMESTAMPS = 0x0101080A  # NOP, NOP, kind 8, length 10: what Linux sends in nearly every segment


@compiled
def _ports(buffer: Buffer, at: int, row: Record) -> None:
    together()
    row.source_port = big16(buffer, at)
    row.destination_port = big16(buffer, at + 2)


@compiled
def _option_length(buffer: Buffer, at: int, end: int) -> int:
    """Bytes of the option at `at`, 0 at the end of the list or where it is malformed."""
    kind = buffer[at]
    if kind == _END:
        return 0
    if kind == _NOP:
        return 1
    if at + 2 > end:
        return 0
    length = np.int64(buffer[at + 1])
    if length < 2 or at + length > end:
        return 0
    return length


@compiled
def _is_duplicate_sack(buffer: Buffer, at: int, length: int, acknowledged: int) -> bool:
    """Whether the first block at `at` lies below the ACK or inside the second block (RFC 2883 section 4)."""
    left, right = big32(buffer, at), big32(buffer, at + 4)
    if after(right, acknowledged) <= 0:
        return True
    if length < 18:
        return False
    return after(left, big32(buffer, at + 8)) >= 0 and after(right, big32(buffer, at + 12)) <= 0


@compiled
def _sack(buffer: Buffer, at: int, length: int, row: Record) -> None:
    blocks = (length - 2) // 8
    row.sack = blocks
    first = 0
    if _is_duplicate_sack(buffer, at, length, row.acknowledgement):
        row.sack |= SACK_DUPLICATE
        first = 1
    sacked = 0
    for i in range(first, blocks):
        sacked += max(0, after(big32(buffer, at + 8 * i + 4), big32(buffer, at + 8 * i)))
    row.sacked_bytes = min(sacked, 0xFFFFFFFF)


@compiled
def _syn_option(buffer: Buffer, at: int, kind: int, length: int, row: Record) -> None:
    if kind == _MSS and length == 4:
        row.mss = big16(buffer, at + 2)
    elif kind == _WINDOW_SCALE and length == 3:
        row.window_scale = buffer[at + 2]
    elif kind == _SACK_PERMITTED and length == 2:
        row.sack |= SACK_PERMITTED


@compiled
def _option(buffer: Buffer, at: int, length: int, row: Record) -> None:
    kind = buffer[at]
    if kind == _TIMESTAMPS and length == 10:
        row.timestamp_value = big32(buffer, at + 2)
        row.timestamp_echo = big32(buffer, at + 6)
    elif kind == _SACK and length >= 10:
        _sack(buffer, at + 2, length, row)
    elif row.tcp_flags & SYN:
        _syn_option(buffer, at, kind, length, row)


@compiled
def _options(buffer: Buffer, at: int, end: int, row: Record) -> None:
    if at + 12 == end and big32(buffer, at) == _ALIGNED_TIMESTAMPS:
        row.timestamp_value = big32(buffer, at + 4)
        row.timestamp_echo = big32(buffer, at + 8)
        return
    while at < end:
        length = _option_length(buffer, at, end)
        if length == 0:
            return
        _option(buffer, at, length, row)
        at += length


@compiled
def _options_hash(buffer: Buffer, at: int, end: int) -> int:
    """FNV-1a over the option bytes, leaving out the eight of TSval and TSecr."""
    value = _FNV_OFFSET
    skip_from, skip_to = end, end
    next_option = at
    for i in range(at, end):
        if i == next_option:
            length = _option_length(buffer, i, end)
            next_option = i + length
            if buffer[i] == _TIMESTAMPS and length == 10:
                skip_from, skip_to = i + 2, i + 10
        if not skip_from <= i < skip_to:
            value = ((value ^ np.int64(buffer[i])) * _FNV_PRIME) & 0xFFFFFFFF
    return value


@compiled
def _tcp(buffer: Buffer, at: int, end: int, length: int, row: Record) -> bool:
    together()
    if at + 20 > end:
        return False
    _ports(buffer, at, row)
    row.sequence = big32(buffer, at + 4)
    row.acknowledgement = big32(buffer, at + 8)
    flags = big16(buffer, at + 12)
    row.tcp_flags = flags & 0x0FFF
    row.window = big16(buffer, at + 14)
    header = (flags >> 12) * 4
    row.payload_bytes = max(0, length - max(20, header))
    if flags & SYN:
        row.window_scale = NO_WINDOW_SCALE if at + header <= end else UNKNOWN_WINDOW_SCALE
    _options(buffer, at + 20, min(end, at + header), row)
    # Options cut by the snap length would hash differently from the same SYN captured whole elsewhere.
    if flags & SYN and at + header <= end:
        row.options_hash = _options_hash(buffer, at + 20, at + header)
    return True


@compiled
def is_echo(row: Record) -> bool:
    """Echo request or reply, of either family."""
    if row.protocol == ICMP:
        return row.icmp_type in (0, 8)
    return row.icmp_type in (128, 129)


@compiled
def _icmp(buffer: Buffer, at: int, end: int, length: int, row: Record) -> bool:
    if at + 4 > end:
        return False
    row.icmp_type = buffer[at]
    row.icmp_code = buffer[at + 1]
    row.payload_bytes = max(0, length - 8)
    if is_echo(row) and at + 8 <= end:
        row.sequence = big32(buffer, at + 4)
    return True


@compiled
def is_icmp_error(row: Record) -> bool:
    """Destination unreachable or time exceeded, of either family."""
    if row.protocol == ICMP:
        return row.icmp_type in (3, 11)
    return row.protocol == ICMPV6 and row.icmp_type in (1, 3)


@compiled
def read_transport(buffer: Buffer, at: int, end: int, length: int, row: Record) -> int:
    """1 read, 0 cut short, -1 a protocol that is not read. `length`: header and payload by the IP lengths."""
    together()
    if row.protocol == TCP:
        return 1 if _tcp(buffer, at, end, length, row) else 0
    if row.protocol == UDP:
        if at + 8 > end:
            return 0
        _ports(buffer, at, row)
        row.payload_bytes = max(0, length - 8)
        return 1
    if row.protocol in (ICMP, ICMPV6):
        return 1 if _icmp(buffer, at, end, length, row) else 0
    return -1

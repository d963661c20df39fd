"""IPv4 and IPv6 headers."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.packets import MARK_SUPER_FRAME
from workers.decode.loop.compiler import compiled
from workers.decode.loop.link import IPV4
from workers.decode.loop.octets import Buffer, big16, big32, big64
from workers.decode.loop.records import BAD_HEADER, CUT_NETWORK, LATER_FRAGMENT, Record

# Offsets below 0 are reasons: -(reason code).
_V4_MAPPED = np.uint64(0xFFFF00000000)
_NO_NEXT_HEADER = 59
_FRAGMENT = 44
_AUTHENTICATION = 51
_MAX_EXTENSIONS = 16


@compiled
def _ipv4(buffer: Buffer, at: int, end: int, wire_length: int, row: Record) -> tuple[int, int]:
    if at + 20 > end:
        return -CUT_NETWORK, 0
    header = (np.int64(buffer[at]) & 15) * 4
    if buffer[at] >> 4 != 4 or header < 20:
        return -BAD_HEADER, 0
    total = big16(buffer, at + 2)
    if total == 0:  # segmentation offload: the length did not fit, or the card fills it in
        total = wire_length
        row.marks = MARK_SUPER_FRAME
    row.ip_version = 4
    row.ip_id = big16(buffer, at + 4)
    row.ttl = buffer[at + 8]
    row.protocol = buffer[at + 9]
    row.source_low = _V4_MAPPED | np.uint64(big32(buffer, at + 12))
    row.destination_low = _V4_MAPPED | np.uint64(big32(buffer, at + 16))
    if big16(buffer, at + 6) & 0x1FFF:
        return -LATER_FRAGMENT, 0
    return at + header, total - header


@compiled
def _ipv6_addresses(buffer: Buffer, at: int, row: Record) -> None:
    row.ip_version = 6
    row.ttl = buffer[at + 7]
    row.source_high = big64(buffer, at + 8)
    row.source_low = big64(buffer, at + 16)
    row.destination_high = big64(buffer, at + 24)
    row.destination_low = big64(buffer, at + 32)


@compiled
def _extension_length(buffer: Buffer, at: int, next_header: int) -> int:
    """Bytes of an IPv6 extension header, 0 when `next_header` is none."""
    if next_header in (0, 43, 60, 135, 139, 140):
        return 8 * (np.int64(buffer[at + 1]) + 1)
    if next_header == _FRAGMENT:
        return 8
    if next_header == _AUTHENTICATION:
        return 4 * (np.int64(buffer[at + 1]) + 2)
    return 0


@compiled
def _ipv6(buffer: Buffer, at: int, end: int, wire_length: int, row: Record) -> tuple[int, int]:
    if at + 40 > end:
        return -CUT_NETWORK, 0
    if buffer[at] >> 4 != 6:
        return -BAD_HEADER, 0
    _ipv6_addresses(buffer, at, row)
    left = big16(buffer, at + 4)
    if left == 0:
        left = wire_length - 40
        row.marks = MARK_SUPER_FRAME
    next_header = np.int64(buffer[at + 6])
    at += 40
    for _ in range(_MAX_EXTENSIONS):
        row.protocol = next_header
        if at + 8 > end:
            break
        length = _extension_length(buffer, at, next_header)
        if length == 0:
            break
        if next_header == _FRAGMENT and big16(buffer, at + 2) & 0xFFF8:
            row.protocol = buffer[at]
            return -LATER_FRAGMENT, 0
        next_header = np.int64(buffer[at])
        at += length
        left -= length
    return at, left


@compiled
def transport_header(
    buffer: Buffer, at: int, end: int, ether_type: int, wire_length: int, row: Record
) -> tuple[int, int]:
    """(offset of the transport header or −reason, its length with payload by the IP lengths); fills `row`."""
    if ether_type == IPV4:
        return _ipv4(buffer, at, end, wire_length, row)
    return _ipv6(buffer, at, end, wire_length, row)

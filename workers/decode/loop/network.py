"""IPv4 and IPv6 headers."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.packets import HEADER_CHECKSUM, MARK_SUPER_FRAME, OUTER_TRANSPORT_CHECKSUM
from workers.decode.loop.checksums import header_checksum
from workers.decode.loop.compiler import compiled, together
from workers.decode.loop.octets import Buffer, big16, big32, big64
from workers.decode.loop.records import BAD_HEADER, CUT_EXTENSION, CUT_NETWORK, IPV4, Record

# Offsets below 0 are reasons: -(reason code).
_V4_MAPPED = np.uint64(0xFFFF00000000)
_ROUTING, _FRAGMENT, _DESTINATION = 43, 44, 60
_HOME_ADDRESS = 0xC9
_AUTHENTICATION = 51
_MAX_EXTENSIONS = 16
_OF_ONE_PACKET = (1 << OUTER_TRANSPORT_CHECKSUM) - 1
_MORE_FRAGMENTS = 1 << 16


@compiled
def _ipv4(buffer: Buffer, at: int, end: int, wire_length: int, state: Record, row: Record) -> tuple[int, int]:
    together()
    if at + 20 > end:
        return -CUT_NETWORK, 0
    header = (np.int64(buffer[at]) & 15) * 4
    if buffer[at] >> 4 != 4 or header < 20:
        return -BAD_HEADER, 0
    total = big16(buffer, at + 2)
    if total == 0:  # segmentation offload: the length did not fit, or the card fills it in
        total = wire_length
        row.marks = MARK_SUPER_FRAME
    row.checksums |= header_checksum(buffer, at, header, end) << HEADER_CHECKSUM
    state.rerouted = 1 if header > 20 else 0
    row.ip_version = 4
    row.ip_id = big16(buffer, at + 4)
    row.ttl = buffer[at + 8]
    row.protocol = buffer[at + 9]
    row.source_low = _V4_MAPPED | np.uint64(big32(buffer, at + 12))
    row.destination_low = _V4_MAPPED | np.uint64(big32(buffer, at + 16))
    row.source_high = row.destination_high = np.uint64(0)  # of an outer IPv6 header
    piece = big16(buffer, at + 6)
    if piece & 0x3FFF:
        state.piece = (piece & 0x1FFF) * 8 | (_MORE_FRAGMENTS if piece & 0x2000 else 0)
        state.piece_id = big16(buffer, at + 4)
    return at + header, total - header


@compiled
def _ipv6_addresses(buffer: Buffer, at: int, row: Record) -> None:
    row.ip_version = 6
    row.ip_id = 0  # of an outer IPv4 header
    row.ttl = buffer[at + 7]
    row.source_high = big64(buffer, at + 8)
    row.source_low = big64(buffer, at + 16)
    row.destination_high = big64(buffer, at + 24)
    row.destination_low = big64(buffer, at + 32)


@compiled
def _is_extension(next_header: int) -> bool:
    """Hop-by-hop, routing, fragment, authentication, destination, mobility, HIP, Shim6 (IANA's list)."""
    return next_header in (0, 43, _FRAGMENT, _AUTHENTICATION, 60, 135, 139, 140)


@compiled
def _changes_ends(buffer: Buffer, at: int, next_header: int) -> bool:
    """Whether the pseudo header has another destination (a route that is not at its end, RFC 8200 section 8.1) or
    source (a home address, RFC 6275 section 6.3, here or behind four bytes of padding) than the IP header."""
    if next_header == _ROUTING:
        return buffer[at + 3] != 0
    return next_header == _DESTINATION and (
        buffer[at + 2] == _HOME_ADDRESS or buffer[at + 6] == _HOME_ADDRESS
    )


@compiled
def _extension_length(buffer: Buffer, at: int, next_header: int) -> int:
    if next_header == _FRAGMENT:
        return 8
    if next_header == _AUTHENTICATION:
        return 4 * (np.int64(buffer[at + 1]) + 2)
    return 8 * (np.int64(buffer[at + 1]) + 1)


@compiled
def step_over_authentication(buffer: Buffer, at: int, end: int, row: Record) -> int:
    """Bytes of an IPv4 packet's authentication header (RFC 4302), 0 when it is cut; sets what it carries."""
    if at + 12 > end:
        return 0
    row.protocol = buffer[at]
    return _extension_length(buffer, at, _AUTHENTICATION)


@compiled
def _fragment_header(buffer: Buffer, at: int, state: Record) -> None:
    piece = big16(buffer, at + 2)
    if piece & 0xFFF9:  # an "atomic" fragment is a whole packet (RFC 6946)
        state.piece = piece & 0xFFF8 | (_MORE_FRAGMENTS if piece & 1 else 0)
        state.piece_id = big32(buffer, at + 4)


@compiled
def _extensions(buffer: Buffer, at: int, end: int, left: int, state: Record, row: Record) -> tuple[int, int]:
    next_header = np.int64(row.protocol)
    for _ in range(_MAX_EXTENSIONS):
        row.protocol = next_header
        if not _is_extension(next_header):
            break
        if at + 8 > end:
            return -CUT_EXTENSION, 0
        length = _extension_length(buffer, at, next_header)
        if _changes_ends(buffer, at, next_header):
            state.rerouted = 1
        if next_header == _FRAGMENT:
            _fragment_header(buffer, at, state)
        next_header = np.int64(buffer[at])
        at += length
        left -= length
        if state.piece & 0xFFF8:  # no further header in a later fragment
            row.protocol = next_header
            break
    return at, left


@compiled
def _ipv6(buffer: Buffer, at: int, end: int, wire_length: int, state: Record, row: Record) -> tuple[int, int]:
    if at + 40 > end:
        return -CUT_NETWORK, 0
    if buffer[at] >> 4 != 6:
        return -BAD_HEADER, 0
    _ipv6_addresses(buffer, at, row)
    left = big16(buffer, at + 4)
    if left == 0:
        left = wire_length - 40
        row.marks = MARK_SUPER_FRAME
    row.protocol = buffer[at + 6]
    if not _is_extension(row.protocol):
        return at + 40, left
    return _extensions(buffer, at + 40, end, left, state, row)


@compiled
def transport_header(
    buffer: Buffer, at: int, end: int, ether_type: int, wire_length: int, state: Record, row: Record
) -> tuple[int, int]:
    """(offset of the transport header or −reason, its length with payload by the IP lengths); fills `row`.

    Sets the state's `piece` and `piece_id` when the packet is a fragment."""
    together()
    outer = row.checksums
    row.checksums = (outer & _OF_ONE_PACKET) << OUTER_TRANSPORT_CHECKSUM
    state.rerouted = 0
    if ether_type == IPV4:
        found, length = _ipv4(buffer, at, end, wire_length, state, row)
    else:
        found, length = _ipv6(buffer, at, end, wire_length, state, row)
    if found < 0 and found != -CUT_EXTENSION:
        row.checksums = outer  # the row still holds the packet around it
    return found, length
